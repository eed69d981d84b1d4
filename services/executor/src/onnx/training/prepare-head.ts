/** A new head on what a frozen base makes of each example, which is computed once. */
import {
  FEATURES,
  type FrozenBase,
  MOST_MODEL_BYTES,
  newHead,
  openNewClasses,
  type TrainableModel,
  type TrainingParameters,
} from '@millhand/training'
import type { Read } from '../processing/read-input.ts'
import { featureReader } from './feature-reader.ts'
import { featureReports, linesOf, openOnOneThread, type PreparedRun, type RunDeps, readSet } from './prepared-run.ts'
import type { TrainMessage } from './protocol.ts'

export interface HeadOptions {
  readonly base: FrozenBase
  /** Of the base, with its tokenizer. */
  readonly baseBytes: number
  readonly model: TrainableModel
  readonly read: Read
  readonly examples: TrainMessage['examples']
  readonly parameters: TrainingParameters
}

/** An attempt that goes on computes the features again, and they are the same. */
export async function prepareHead(
  { base, baseBytes, model, read, examples, parameters }: HeadOptions,
  deps: RunDeps,
): Promise<PreparedRun> {
  const lines = await linesOf(examples, { model, parameters })
  const session = await openOnOneThread(base.featureModel())
  const inputs = featureReader({
    session,
    features: base.features,
    name: FEATURES,
    read,
    lines,
    onExample: featureReports(deps),
  })
  const targets = openNewClasses()
  const set = await readSet(examples, { model, parameters, inputs, targets })
  await session.close()
  const labels = targets.labels()
  const head = newHead(inputs.width(), labels, MOST_MODEL_BYTES - baseBytes)
  return { ...head, examples: set, parameters, open: openOnOneThread, labels, keep: base.withHead }
}
