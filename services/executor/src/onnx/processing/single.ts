/** One model: each input read by itself, those that fit together run together, each output written by itself. */

import type { RunItem } from '@millhand/child-process'
import {
  excerpt,
  InputInvalid,
  isTensorFormat,
  type NamedTensors,
  type Processing,
  processingFault,
  type TensorFormat,
  type TensorSpec,
  tensorFileParts,
  tensorParts,
} from '@millhand/model'
import { openSession, type Session } from '@millhand/onnxruntime'
import { boundedText, checkWritable } from '../output-limit.ts'
import type { LoadMessage } from '../protocol.ts'
import { batches, joinRows, splitRows } from './batch.ts'
import { classify } from './classify.ts'
import { type FileOutput, type Output, type Processor, toError } from './processor.ts'
import { type Read, reader } from './read-input.ts'

type Single = Extract<Processing, { kind: 'single' }>

interface Feed extends NamedTensors {
  readonly index: number
  /** Names of the outputs that are asked for; all of them where it is not set. */
  readonly outputs: readonly string[] | undefined
  readonly format: TensorFormat
}

export async function openSingle(message: LoadMessage, { preprocess, postprocess }: Single): Promise<Processor> {
  const session = await openSession(message.files.model as string, message)
  const wrong = processingFault({ processing: message.processing }, session.inputs, session.outputs)
  if (wrong) throw new Error(wrong.message)
  const read = await reader(preprocess, session.inputs)
  const isNamed = postprocess.name === 'tensors'
  const write = isNamed ? writeOutputs : classify(postprocess, message.labels)
  const choose = (asked: unknown) => (isNamed ? chosenOutputs(asked, session.outputs) : undefined)
  const formatOf = (asked: unknown) => (isNamed && isTensorFormat(asked) ? asked : 'json')
  return {
    async run(items) {
      const results: Output[] = new Array(items.length)
      // Of many items so many at once are in memory as tensors as are run together.
      for (let from = 0; from < items.length; from += message.maxBatch) {
        const feeds = await readAll(items.slice(0, from + message.maxBatch), from, { read, choose, formatOf }, results)
        for (const batch of message.maxBatch > 1 ? batches(feeds) : feeds.map(feed => [feed])) {
          for (const [index, result] of await runBatch(session, batch, write)) results[index] = result
        }
      }
      return results
    },
  }
}

type Write = (outputs: NamedTensors, format: TensorFormat) => string | FileOutput

const writeOutputs: Write = ({ tensors, base64 }, format) => {
  checkWritable(tensors.values(), format === 'json' ? base64 : 'binary')
  return format === 'json'
    ? boundedText(tensorParts(tensors, base64))
    : { parts: tensorFileParts([...tensors], format) }
}

interface Reading {
  readonly read: Read
  /** The names that `parameters.outputs` has; undefined for all. Throws `InputInvalid`. */
  readonly choose: (asked: unknown) => readonly string[] | undefined
  /** What `parameters.output_format` says. */
  readonly formatOf: (asked: unknown) => TensorFormat
}

/** Reads those from an index on. */
async function readAll(
  items: readonly RunItem[],
  from: number,
  { read, choose, formatOf }: Reading,
  results: Output[],
): Promise<Feed[]> {
  const feeds: Feed[] = []
  for (let index = from; index < items.length; index++) {
    const { input, parameters } = items[index] as RunItem
    try {
      const outputs = choose(parameters?.outputs)
      const named = read(input)
      const { tensors, base64 } = named instanceof Promise ? await named : named
      feeds.push({ tensors, base64, index, outputs, format: formatOf(parameters?.output_format) })
    } catch (error) {
      results[index] = toError(error)
    }
  }
  return feeds
}

function chosenOutputs(asked: unknown, outputs: readonly TensorSpec[]): readonly string[] | undefined {
  if (asked === undefined) return undefined
  const names = Array.isArray(asked) ? [...new Set(asked)] : []
  if (names.length === 0 || !names.every(name => typeof name === 'string'))
    throw new InputInvalid('`parameters.outputs` must be a list of names of outputs')
  const unknown = names.find(name => !outputs.some(output => output.name === name))
  if (unknown !== undefined) throw new InputInvalid(`the model has no output \`${excerpt(unknown)}\``)
  return names
}

/** When a shared run fails, each item runs alone, so that only the one at fault fails. */
async function runBatch(session: Session, batch: Feed[], write: Write): Promise<[number, Output][]> {
  try {
    const [first] = batch as [Feed]
    const outputs =
      batch.length === 1
        ? [await session.run(first.tensors, first.outputs)]
        : splitRows(await session.run(joinRows(batch)), batch)
    return batch.map(({ index, base64, outputs: names, format }, at) => {
      return [index, written(write, { tensors: only(names, outputs[at] as Feed['tensors']), base64 }, format)]
    })
  } catch (error) {
    if (batch.length === 1) return [[(batch[0] as Feed).index, toError(error)]]
    const alone: [number, Output][] = []
    for (const item of batch) alone.push(...(await runBatch(session, [item], write)))
    return alone
  }
}

const only = (names: Feed['outputs'], tensors: Feed['tensors']): Feed['tensors'] =>
  names ? new Map([...tensors].filter(([name]) => names.includes(name))) : tensors

function written(write: Write, outputs: NamedTensors, format: TensorFormat): Output {
  try {
    return write(outputs, format)
  } catch (error) {
    return toError(error)
  }
}
