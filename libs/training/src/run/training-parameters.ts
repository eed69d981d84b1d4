/** `parameters` of a training task. */
import type { Loss } from '../loss.ts'
import type { MetricName } from './metrics.ts'

export interface TrainingParameters {
  /** From 1 to 1,000; default 10. */
  readonly epochs: number
  /** From 1 to 4,096; default 32, or fewer where fewer are trained on or adapters on layers have no memory for them. Examples that make no whole batch are left out of an epoch. */
  readonly batch_size: number
  /** Above 0, at most 10; default 0.001, with sgd 0.01. */
  readonly learning_rate: number
  /** Default adam. */
  readonly optimizer: 'sgd' | 'adam' | 'adamw'
  /** How the learning rate changes; default constant. */
  readonly schedule: 'constant' | 'cosine' | 'linear'
  /** Steps in which the learning rate rises from 0 to its value, before the schedule; from 0 to 100,000, default 0. */
  readonly warmup_steps: number
  /** From 0 to 1; default 0, with adamw 0.01. */
  readonly weight_decay: number
  /** The share of the examples that is held out; from 0 to 0.5, default 0.2. */
  readonly validation_split: number
  /** Ends the run once so many epochs in a row were no better; null where it never ends early. */
  readonly early_stopping: { readonly patience: number; readonly min_delta: number } | null
  /** From 0 to 2^32 - 1; default 0. */
  readonly seed: number
  /** Default cross_entropy. */
  readonly loss: Loss
  /** Default all; of a model that takes text or pictures head. */
  readonly train: TrainablePart
  /** Of the adapters, with `train: lora`; from 1 to 256, default 8; null without. */
  readonly rank: number | null
  /** Default accuracy and f1 for classes, mse and mae for numbers. */
  readonly metrics: readonly MetricName[]
  /** What a cancelled run leaves: nothing, or the model of its best epoch; default discard. */
  readonly on_cancel: 'discard' | 'keep_best'
}

/** All weights, or those of the last product alone, or adapters of low rank. Of a model that takes text adapters and a new head. */
export type TrainablePart = 'all' | 'head' | 'lora'

/** A parameter that cannot be taken. */
export interface ParameterProblem {
  /** As `parameters.early_stopping.patience`. */
  readonly path: string
  readonly message: string
}

/** Parameters that do not go with the examples or the model; found where the run begins. */
export class ParametersInvalid extends Error {
  readonly problems: readonly ParameterProblem[]

  constructor(problems: readonly ParameterProblem[]) {
    super(problems.map(({ path, message }) => `\`${path}\` ${message}`).join('; '))
    this.name = 'ParametersInvalid'
    this.problems = problems
  }
}
