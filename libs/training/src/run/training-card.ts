/** The card of a model that was trained: JSON, in the names of the API. */
import type { MetricName } from './metrics.ts'
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
  /** One for each epoch. */
  readonly curves: readonly EpochRecord[]
  /** The epoch whose weights the model has: that with the least validation loss; without a held-out part the last. */
  readonly best_epoch: number
  /** Why the run ended. */
  readonly ended: 'completed' | 'early_stopping' | 'cancelled'
  /** On the held-out part, of the weights that the model has; null without one. */
  readonly metrics: Scores | null
  /** Of classes, on the held-out part: examples by their class (rows) and the class that was predicted (columns). */
  readonly confusion_matrix: ConfusionMatrix | null
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

export type Scores = { readonly loss: number } & { readonly [name in MetricName]?: number }

export interface ConfusionMatrix {
  readonly labels: readonly string[]
  readonly counts: readonly (readonly number[])[]
}
