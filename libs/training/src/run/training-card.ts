/** The card of a model that was trained: JSON, in the names of the API. */
import { excerpt } from '@millhand/model'
import type { Evaluation } from './evaluation.ts'
import type { ExampleSet } from './example-set.ts'
import type { Scores } from './metrics.ts'
import type { Split } from './split.ts'
import type { TrainableModel } from './trainable-model.ts'
import type { TrainingParameters } from './training-parameters.ts'

export interface TrainingCard {
  readonly parent: ParentModel
  readonly data: {
    readonly sha256: string
    readonly bytes: number
    readonly examples: number
    readonly trained_on: number
    readonly held_out: number
  }
  readonly parameters: TrainingParameters
  /** One for each epoch, in numbers of 5 digits. */
  readonly curves: readonly EpochRecord[]
  /** The epoch whose weights the model has: that with the least validation loss; null where there is none, and the weights are the last. */
  readonly best_epoch: number | null
  /** Why the run ended. */
  readonly ended: 'completed' | 'early_stopping' | 'cancelled'
  /** On the held-out part, of the weights that the model has; null without one. */
  readonly metrics: Scores | null
  /** Of classes, on the held-out part: examples by their class (rows) and the class that was predicted (columns). */
  readonly confusion_matrix: ConfusionMatrix | null
  /** Of a new head: the names of its classes, in their order. */
  readonly labels?: readonly string[]
  readonly seed: number
  readonly versions: Readonly<Record<string, string>>
}

export interface ParentModel {
  readonly model: string
  readonly digest: string
}

/** Counted from 1. */
export interface EpochRecord {
  readonly epoch: number
  /** Steps made by its end. */
  readonly step: number
  readonly learning_rate: number
  /** The mean of its steps. */
  readonly loss: number
  /** On the held-out part after it; null without one. */
  readonly validation: Scores | null
}

interface ConfusionMatrix {
  readonly labels: readonly string[]
  readonly counts: readonly (readonly number[])[]
}

interface CardInputs {
  readonly parent: ParentModel
  readonly model: TrainableModel
  readonly examples: Pick<ExampleSet, 'sha256' | 'bytes' | 'count'>
  readonly parameters: TrainingParameters
  readonly versions: Readonly<Record<string, string>>
}

interface CardFindings {
  readonly split: Split
  readonly curves: readonly EpochRecord[]
  readonly bestEpoch: number | null
  readonly scores: Evaluation | undefined
  readonly ended: TrainingCard['ended']
}

export function cardOf(
  { parent, model, examples, parameters, versions }: CardInputs,
  { split, curves, bestEpoch, scores, ended }: CardFindings,
): TrainingCard {
  const { sha256, bytes, count } = examples
  const counts = scores?.confusion
  return {
    parent,
    data: { sha256, bytes, examples: count, trained_on: split.learned.length, held_out: split.heldOut.length },
    parameters,
    curves: curves.map(shortened),
    best_epoch: bestEpoch,
    ended,
    metrics: scores?.scores ?? null,
    confusion_matrix: counts
      ? { labels: counts.map((_, at) => excerpt(model.labels?.[at] ?? `${at}`, MOST_LABEL)), counts }
      : null,
    seed: parameters.seed,
    versions,
  }
}

/** Characters of each label of the confusion matrix. */
const MOST_LABEL = 64
/** Significant digits in the curves: with more, those of 1,000 epochs and the labels might not fit the 256 KiB of an output. */
const DIGITS = 5

const shortened = ({ validation, ...epoch }: EpochRecord): EpochRecord => ({
  ...(rounded(epoch) as Omit<EpochRecord, 'validation'>),
  validation: validation && (rounded(validation) as Scores),
})

const rounded = (numbers: Readonly<Record<string, number>>) =>
  Object.fromEntries(
    Object.entries(numbers).map(([name, value]) => [
      name,
      Number.isInteger(value) ? value : Number(value.toPrecision(DIGITS)),
    ]),
  )
