/** One model: each input read by itself, those that fit together run together, each output written by itself. */

import type { RunItem } from '@millhand/child-process'
import {
  elements,
  excerpt,
  InputInvalid,
  isTensorFormat,
  type Processing,
  processingFault,
  type Tensor,
  type TensorFormat,
  type TensorSpec,
  tensorFileParts,
  tensorParts,
} from '@millhand/model'
import { openSession, type Session } from '@millhand/onnxruntime'
import { boundedText, checkWritable } from '../output-limit.ts'
import type { LoadMessage } from '../protocol.ts'
import { batches, joinRows, partOf, rowsOf, splitRows, splitTensor } from './batch.ts'
import { classify, scoresIn } from './classify.ts'
import { type Output, type Processor, toError } from './processor.ts'
import { type Read, type RowReader, reader, rowReader } from './read-input.ts'

type Single = Extract<Processing, { kind: 'single' }>

/** An item whose input is read. */
interface ReadItem {
  readonly index: number
  /** Names of the outputs that are asked for; all of them where it is not set. */
  readonly outputs: readonly string[] | undefined
  readonly format: TensorFormat
  readonly base64: boolean
}

type Tensors = ReadonlyMap<string, Tensor>

/** Items that run together, their tensors joined. */
interface Batch {
  readonly items: readonly ReadItem[]
  /** How many rows of the tensors each item has; undefined for an item alone whose tensors have no axis in common. */
  readonly rows: readonly (number | undefined)[]
  readonly tensors: Tensors
}

/** An output for each item, or why it has none. Throws where the outputs are not those of such a batch. */
type Write = (outputs: Tensors, batch: Batch) => Output[]

export async function openSingle(message: LoadMessage, { preprocess, postprocess }: Single): Promise<Processor> {
  const session = await openSession(message.files.model as string, message)
  const wrong = processingFault({ processing: message.processing }, session.inputs, session.outputs)
  if (wrong) throw new Error(wrong.message)
  const read = await reader(preprocess, session.inputs, message.files.model as string)
  const isNamed = postprocess.name === 'tensors'
  const rows = isNamed || message.maxBatch === 1 ? undefined : rowReader(preprocess, session.inputs)
  const write = isNamed ? writeTensors : scoresWriter(classify(postprocess, message.labels))
  const choose = (asked: unknown) => (isNamed ? chosenOutputs(asked, session.outputs) : undefined)
  const formatOf = (asked: unknown) => (isNamed && isTensorFormat(asked) ? asked : 'json')
  return {
    async run(items) {
      const results: Output[] = new Array(items.length)
      // Of many items so many at once are in memory as tensors as are run together.
      for (let from = 0; from < items.length; from += message.maxBatch) {
        const some = items.slice(from, from + message.maxBatch)
        const texts = rows && textsOf(some)
        const together = texts
          ? readRows(texts, from, rows, results)
          : await readAll(some, from, { read, choose, formatOf, isJoined: message.maxBatch > 1 }, results)
        for (const batch of together) await runBatch(session, batch, write, results)
      }
      return results
    },
  }
}

const writeTensors: Write = (outputs, { items, rows }) =>
  splitRows(outputs, rows).map((all, at) => {
    const { outputs: names, base64, format } = items[at] as ReadItem
    return attempted(() => {
      const tensors = names ? new Map([...all].filter(([name]) => names.includes(name))) : all
      checkWritable(tensors.values(), format === 'json' ? base64 : 'binary')
      return format === 'json'
        ? boundedText(tensorParts(tensors, base64))
        : { parts: tensorFileParts([...tensors], format) }
    })
  })

const scoresWriter =
  (write: (scores: Tensor) => string): Write =>
  (outputs, { rows }) =>
    splitTensor(scoresIn(outputs), rows).map(scores => attempted(() => write(scores)))

function attempted(write: () => Output): Output {
  try {
    return write()
  } catch (error) {
    return toError(error)
  }
}

interface Reading {
  readonly read: Read
  /** The names that `parameters.outputs` has; undefined for all. Throws `InputInvalid`. */
  readonly choose: (asked: unknown) => readonly string[] | undefined
  /** What `parameters.output_format` says. */
  readonly formatOf: (asked: unknown) => TensorFormat
  /** Whether items run together. */
  readonly isJoined: boolean
}

/** Reads items; the first of them has this index. */
async function readAll(
  items: readonly RunItem[],
  from: number,
  { read, choose, formatOf, isJoined }: Reading,
  results: Output[],
): Promise<Batch[]> {
  const feeds: { readonly item: ReadItem; readonly tensors: Tensors }[] = []
  for (const [at, { input, parameters }] of items.entries()) {
    try {
      const outputs = choose(parameters?.outputs)
      const named = read(input)
      const { tensors, base64 } = named instanceof Promise ? await named : named
      feeds.push({ tensors, item: { index: from + at, outputs, base64, format: formatOf(parameters?.output_format) } })
    } catch (error) {
      results[from + at] = toError(error)
    }
  }
  return (isJoined ? batches(feeds) : feeds.map(feed => [feed])).map(group => ({
    items: group.map(({ item }) => item),
    rows: group.map(rowsOf),
    tensors: group.length === 1 ? (group[0] as { readonly tensors: Tensors }).tensors : joinRows(group),
  }))
}

function textsOf(items: readonly RunItem[]): readonly string[] | undefined {
  const texts = items.map(({ input }) => input)
  return texts.every(text => typeof text === 'string') ? texts : undefined
}

/** Reads texts that are a row each, at once into the tensor that is run; the first of them has this index. */
function readRows(texts: readonly string[], from: number, reader: RowReader, results: Output[]): Batch[] {
  const { name, dtype, shape, size, readInto } = reader
  const data = elements(dtype, texts.length * size)
  const items: ReadItem[] = []
  for (const [at, text] of texts.entries()) {
    try {
      readInto(text, data, items.length * size)
      items.push({ index: from + at, outputs: undefined, base64: false, format: 'json' })
    } catch (error) {
      results[from + at] = toError(error)
    }
  }
  if (items.length === 0) return []
  const tensor = { dtype, shape: [items.length, ...shape], data: partOf(data, 0, items.length * size) }
  return [{ items, rows: items.map(() => 1), tensors: new Map([[name, tensor]]) }]
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

/** Runs a batch. When a shared run fails, each item runs alone, so that only the one at fault fails. */
async function runBatch(session: Session, batch: Batch, write: Write, results: Output[]): Promise<void> {
  const { items, rows, tensors } = batch
  try {
    const names = items.length === 1 ? items[0]?.outputs : undefined
    const written = write(await session.run(tensors, names), batch)
    for (const [at, { index }] of items.entries()) results[index] = written[at] as Output
  } catch (error) {
    if (items.length === 1) {
      results[(items[0] as ReadItem).index] = toError(error)
      return
    }
    for (const [at, alone] of splitRows(tensors, rows).entries()) {
      const one = { items: [items[at] as ReadItem], rows: [rows[at]], tensors: alone }
      await runBatch(session, one, write, results)
    }
  }
}
