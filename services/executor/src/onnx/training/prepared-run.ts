/** What a run trains, and how the model that is kept is made of it. */
import { createReadStream } from 'node:fs'
import { openSessionOf, type Session } from '@millhand/onnxruntime'
import {
  type ExampleSet,
  exampleFormatOf,
  frozenInputs,
  openNewClasses,
  type ReadOptions,
  readExamples,
  type TrainerOptions,
  type TrainingParameters,
} from '@millhand/training'
import type { TrainMessage } from './protocol.ts'
import { REPORT_EVERY_MS, type StepsDeps } from './run-steps.ts'

/** With their defaults. */
export interface GivenParameters {
  readonly parameters: TrainingParameters
  /** Whether the task names a `batch_size`. Otherwise it depends on the examples. */
  readonly hasBatchSize: boolean
}

type Trained = Pick<TrainerOptions, 'bytes' | 'model' | 'examples' | 'parameters' | 'besideAdapters' | 'open'>

export interface PreparedRun extends Trained {
  /** Of a new head. */
  readonly labels?: readonly string[]
  /** From what was trained to the model that is kept. */
  keep(trained: Uint8Array): Uint8Array
}

export type RunDeps = Pick<StepsDeps, 'now' | 'say'>

/** One thread: sums of several may be taken in another order, and runs are to be equal bit for bit. */
export const openOnOneThread = (model: Uint8Array): Promise<Session> => openSessionOf(model, { threads: 1 })

export async function readSet(
  examples: TrainMessage['examples'],
  options: Omit<ReadOptions, 'format'>,
): Promise<ExampleSet> {
  if (typeof examples === 'string') return await readExamples(Buffer.from(examples), { ...options, format: 'jsonl' })
  const head: Buffer[] = await createReadStream(examples.path, { end: HEAD_BYTES - 1 }).toArray()
  const format = exampleFormatOf(Buffer.concat(head))
  return await readExamples(createReadStream(examples.path), { ...options, format })
}

const HEAD_BYTES = 65_536

/**
 * The line of each example for a frozen base. Throws `ExamplesInvalid` for what is wrong beside the content of the inputs,
 * so that it is known before a base has computed for hours.
 */
export async function linesOf(
  examples: TrainMessage['examples'],
  options: Pick<ReadOptions, 'model' | 'parameters'>,
): Promise<Uint32Array> {
  return (await readSet(examples, { ...options, inputs: frozenInputs, targets: openNewClasses() })).lines
}

/** Says from time to time of how many examples the features are there. */
export function featureReports({ now, say }: RunDeps): (count: number) => Promise<void> {
  let reportAt = now()
  return async count => {
    if (now() < reportAt) return
    const metrics = { examples: count }
    await say({ kind: 'progress', fraction: 0, message: `features of ${count} examples`, metrics })
    reportAt = now() + REPORT_EVERY_MS
  }
}
