/** The examples of a training that the sandbox does not do: those that were given, as far as they are read here. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readSandboxInput } from '@millhand/api'
import type { InputFile, RunItem } from '@millhand/child-process'
import { InputInvalid } from '@millhand/model'
import {
  type ExampleSet,
  ExamplesInvalid,
  exampleFormatOf,
  frozenInputs,
  openNewClasses,
  outputWidth,
  type ReadOptions,
  readExamples,
  type TrainableModel,
  type TrainingParameters,
} from '@millhand/training'

export interface MockExamples extends Pick<ExampleSet, 'count' | 'targets' | 'sha256' | 'bytes'> {
  /** Of a new head. */
  readonly labels?: readonly string[]
}

interface Trained {
  readonly model: TrainableModel
  readonly parameters: TrainingParameters
}

/** Of a file only so many bytes are read as examples: it is read in the process that others' runs share. */
const MOST_BYTES = 256 * 1024

/** Throws `InputInvalid` for examples that a run would refuse, as far as they are read. The signal ends the reading of a file. */
export async function mockExamples(
  input: RunItem['input'],
  trained: Trained,
  signal: AbortSignal,
): Promise<MockExamples> {
  try {
    return await examplesIn(input, trained, signal)
  } catch (error) {
    throw error instanceof ExamplesInvalid ? new InputInvalid(error.message) : error
  }
}

async function examplesIn(input: RunItem['input'], trained: Trained, signal: AbortSignal): Promise<MockExamples> {
  if (typeof input === 'string') {
    const bytes = Buffer.from(input)
    return readSandboxInput(input) === undefined
      ? await read(bytes, 'jsonl', trained)
      : { ...madeUp(trained), sha256: createHash('sha256').update(bytes).digest('hex'), bytes: bytes.length }
  }
  const { sha256, head } = await digestOf(input, signal)
  const isWhole = head.length === input.bytes
  const format = exampleFormatOf(head)
  // What a Parquet file unpacks to may be large, and is known only once it is unpacked.
  if (format === 'parquet') return { ...madeUp(trained), sha256, bytes: input.bytes }
  try {
    const lines = isWhole ? head : head.subarray(0, head.lastIndexOf('\n') + 1)
    return { ...(await read(lines, format, trained)), sha256, bytes: input.bytes }
  } catch (error) {
    if (isWhole || !(error instanceof ExamplesInvalid && error.needsMore)) throw error
    return { ...madeUp(trained), sha256, bytes: input.bytes }
  }
}

async function digestOf({ path }: InputFile, signal: AbortSignal) {
  const hash = createHash('sha256')
  const parts: Buffer[] = []
  let bytes = 0
  for await (const chunk of createReadStream(path, { signal }) as AsyncIterable<Buffer>) {
    hash.update(chunk)
    if (bytes < MOST_BYTES) parts.push(chunk)
    bytes += chunk.length
  }
  return { sha256: hash.digest('hex'), head: Buffer.concat(parts).subarray(0, MOST_BYTES) }
}

async function read(
  bytes: Uint8Array,
  format: ReadOptions['format'],
  { model, parameters }: Trained,
): Promise<MockExamples> {
  const targets = model.base === undefined ? undefined : openNewClasses()
  const set = await readExamples(bytes, {
    format,
    model,
    parameters,
    ...(targets && { targets, inputs: frozenInputs }),
  })
  return { ...set, ...(targets && { labels: targets.labels() }) }
}

/** A batch of the default size, and what is held out beside it. */
const MADE_UP = 40

/** In the place of examples that are not read. */
function madeUp({ model, parameters: { loss } }: Trained): Pick<MockExamples, 'count' | 'targets' | 'labels'> {
  const shape = [MADE_UP, 1]
  if (loss !== 'cross_entropy') {
    const data = Float32Array.from({ length: MADE_UP }, (_, at) => at % 2)
    return { count: MADE_UP, targets: { dtype: 'float32', shape, data } }
  }
  const labels = model.base === undefined ? undefined : ['a', 'b']
  const classes = BigInt(labels?.length ?? outputWidth(model) ?? 2)
  const data = BigInt64Array.from({ length: MADE_UP }, (_, at) => BigInt(at) % classes)
  return { count: MADE_UP, targets: { dtype: 'int64', shape, data }, ...(labels && { labels }) }
}
