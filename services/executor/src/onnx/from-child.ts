/** What a child said, once it is sure that the protocol has it: the child may be no longer ours. */
import type { Emission } from '@millhand/worker'
import type { FromChild, ItemFault, ItemInFile } from './protocol.ts'

/** A copy that has what the protocol names and nothing else; undefined for what it does not know. */
export function readFromChild(said: unknown): FromChild | undefined {
  if (!isObject(said)) return undefined
  switch (said.kind) {
    case 'loaded':
      return isNumber(said.memoryBytes) ? { kind: 'loaded', memoryBytes: said.memoryBytes } : undefined
    case 'refused':
      return typeof said.message === 'string' ? { kind: 'refused', message: said.message } : undefined
    case 'emission':
      return readEmitted(said)
    case 'done':
      return readDone(said)
    default:
      return undefined
  }
}

function readEmitted({ item, emission }: Fields): FromChild | undefined {
  return isNumber(item) && isEmission(emission) ? { kind: 'emission', item, emission } : undefined
}

/** Its bounds are for `bounded`. */
function isEmission(emission: unknown): emission is Emission {
  if (!isObject(emission)) return false
  switch (emission.kind) {
    case 'output':
      return typeof emission.json === 'string'
    case 'log':
      return typeof emission.text === 'string'
    case 'progress':
      return (
        typeof emission.fraction === 'number' &&
        (emission.message === undefined || typeof emission.message === 'string') &&
        (emission.metrics === undefined || isObject(emission.metrics))
      )
    default:
      return false
  }
}

function readDone({ items, computeMs, memoryBytes }: Fields): FromChild | undefined {
  if (!Array.isArray(items) || !isNumber(computeMs) || computeMs < 0 || !isNumber(memoryBytes)) return undefined
  const answers: (string | ItemInFile | ItemFault)[] = []
  for (const item of items) {
    const answer = readAnswer(item)
    if (answer === undefined) return undefined
    answers.push(answer)
  }
  return { kind: 'done', items: answers, computeMs, memoryBytes }
}

function readAnswer(item: unknown): string | ItemInFile | ItemFault | undefined {
  if (typeof item === 'string') return item
  if (!isObject(item)) return undefined
  if (item.inFile === true) return { inFile: true }
  const { code, message } = item
  return isFaultCode(code) && typeof message === 'string' ? { code, message } : undefined
}

const faultCodes: ReadonlySet<unknown> = new Set<ItemFault['code']>([
  'model_input_invalid',
  'model_failed',
  'output_too_large',
  'no_room',
])

const isFaultCode = (code: unknown): code is ItemFault['code'] => faultCodes.has(code)

type Fields = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null
const isNumber = (value: unknown): value is number => Number.isFinite(value)
