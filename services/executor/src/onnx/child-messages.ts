/** What a child said, once it is sure that the protocol has it: the child may be compromised. */
import type { ChildMessage, Emission } from '@millhand/child-process'
import { isObject } from '@millhand/model'
import { MAX_MESSAGE_BYTES } from '../result-limit.ts'
import type { FromChild, ItemFault, ItemInFile } from './protocol.ts'

type Head = Exclude<FromChild, { kind: 'done' }>

/** A portion is done: an item that succeeded is its output, JSON text in UTF-8, or in a file. */
export interface Done {
  readonly kind: 'done'
  readonly items: readonly (Buffer | ItemInFile | ItemFault)[]
}

/** A copy that has what the protocol names and nothing else; undefined for what it does not know. */
export function readFromChild({ head: said, parts }: ChildMessage): Head | Done | undefined {
  if (!isObject(said)) return undefined
  if (said.kind === 'done') return readDone(said, parts)
  if (parts.length > 0) return undefined
  switch (said.kind) {
    case 'loaded':
      return { kind: 'loaded' }
    case 'refused':
      return typeof said.message === 'string' ? { kind: 'refused', message: said.message } : undefined
    case 'emission':
      return readEmitted(said)
    default:
      return undefined
  }
}

function readEmitted({ item, emission }: Fields): Head | undefined {
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

function readDone({ items }: Fields, parts: readonly Buffer[]): Done | undefined {
  if (!Array.isArray(items)) return undefined
  const outputs = parts.values()
  const answers: Done['items'][number][] = []
  for (const item of items) {
    const answer = item === null ? readOutput(outputs.next().value) : readAnswer(item)
    if (answer === undefined) return undefined
    answers.push(answer)
  }
  return outputs.next().done ? { kind: 'done', items: answers } : undefined
}

const readOutput = (output: Buffer | undefined): Buffer | undefined =>
  output && output.length <= MAX_MESSAGE_BYTES ? output : undefined

function readAnswer(item: unknown): ItemInFile | ItemFault | undefined {
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

const isNumber = (value: unknown): value is number => Number.isFinite(value)
