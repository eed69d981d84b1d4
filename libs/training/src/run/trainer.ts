/** A training run, one step after another. */
import type { Tensor } from '@millhand/model'
import type { ExampleSet } from './example-set.ts'
import type { TrainableModel } from './trainable-model.ts'
import type { EpochRecord, ParentModel, TrainingCard } from './training-card.ts'
import type { TrainingParameters } from './training-parameters.ts'

export interface Trainer {
  /** Where the run is. */
  progress(): TrainingProgress
  /**
   * Makes the next step, and after the last of an epoch the validation. Rejects with `TrainingDiverged`. Not to be called
   * once `progress().done`, nor before the last call has ended.
   */
  step(): Promise<TrainingProgress>
  /** All that the rest of the run depends on; between any two steps. */
  checkpoint(): Uint8Array
  /** The model with its best weights so far, and its card; at the end or before. */
  finish(): Promise<{ readonly model: Uint8Array; readonly card: TrainingCard }>
}

export interface TrainingProgress {
  /** Steps made. */
  readonly step: number
  /** Of all epochs; early stopping may make fewer. */
  readonly steps: number
  /** The epoch of the last step, counted from 1; 0 before the first. */
  readonly epoch: number
  readonly epochs: number
  /** Examples seen, each as often as it was. */
  readonly examples: number
  /** Of the last step; undefined before the first. */
  readonly loss: number | undefined
  readonly learningRate: number | undefined
  /** The last epoch that ended. */
  readonly lastEpoch: EpochRecord | undefined
  readonly done: boolean
}

export interface TrainerOptions {
  readonly bytes: Uint8Array
  readonly model: TrainableModel
  readonly examples: ExampleSet
  readonly parameters: TrainingParameters
  /** For the card. */
  readonly parent: ParentModel
  readonly versions: Readonly<Record<string, string>>
  /** Opens a model; on one thread where runs are to be equal bit for bit. */
  open(model: Uint8Array): Promise<RunnableModel>
  /** To go on from. Throws `CheckpointInvalid` where it is damaged, or of a run with another model, data or parameters. */
  readonly restore?: Uint8Array
}

interface RunnableModel {
  run(inputs: ReadonlyMap<string, Tensor>): Promise<ReadonlyMap<string, Tensor>>
}

/** The loss is no number any more. The message says at which step, and what helps. */
export class TrainingDiverged extends Error {
  constructor(step: number) {
    super(`the loss is no longer a number at step ${step}: a lower \`learning_rate\` may help`)
    this.name = 'TrainingDiverged'
  }
}

/** Throws `TrainingRefused` (the model), `ExamplesInvalid`, `ParametersInvalid` and `CheckpointInvalid`. */
export async function createTrainer(_options: TrainerOptions): Promise<Trainer> {
  throw new Error('not there yet')
}
