/** A training run, one step after another. */
import type { Tensor } from '@millhand/model'
import { batchesOf, takeExamples } from '../examples.ts'
import { trainedModel } from '../trained-model.ts'
import { buildTrainingGraph, type TrainingGraph } from '../training-graph.ts'
import { TrainingRefused } from '../training-refused.ts'
import { openTrainingSteps } from '../training-steps.ts'
import { openEvaluation } from './evaluation.ts'
import { type ExampleSet, ExamplesInvalid } from './example-set.ts'
import { openRunRecord } from './run-record.ts'
import { learningRateAt } from './schedule.ts'
import { type Split, splitExamples } from './split.ts'
import type { TrainableModel } from './trainable-model.ts'
import { cardOf, type EpochRecord, type ParentModel, type TrainingCard } from './training-card.ts'
import { ParametersInvalid, type TrainingParameters } from './training-parameters.ts'
import { weightsToTrain } from './weights-to-train.ts'

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
  /** The model with its best weights so far, and its card; at the end or before. Rejects with `TrainingDiverged`. */
  finish(): Promise<{ readonly model: Uint8Array; readonly card: TrainingCard }>
  /** Frees the memory of its models. Idempotent; not while a step is on, and nothing is called after it. */
  close(): Promise<void>
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
  /** The epoch with the least validation loss so far; without a held-out part the last one that ended. 0 before the first. */
  readonly bestEpoch: number
  readonly done: boolean
}

export interface TrainerOptions {
  readonly bytes: Uint8Array
  readonly model: TrainableModel
  readonly examples: ExampleSet
  readonly parameters: TrainingParameters
  /** Whether the task names a `batch_size`. Otherwise it is at most as many examples as are trained on. */
  readonly hasBatchSize: boolean
  /** Weights that are trained as they are beside adapters, as those of a new head. */
  readonly besideAdapters?: readonly string[]
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
  /** Frees its memory. */
  close(): Promise<void>
}

/** The loss is no number any more. The message says at which step, and what helps. */
export class TrainingDiverged extends Error {
  constructor(step: number) {
    super(`the loss is no longer a number at step ${step}: a lower \`learning_rate\` may help`)
    this.name = 'TrainingDiverged'
  }
}

/** Throws `TrainingRefused` (the model), `ExamplesInvalid`, `ParametersInvalid` and `CheckpointInvalid`. */
export async function createTrainer(given: TrainerOptions): Promise<Trainer> {
  const { examples } = given
  const split = splitExamples(examples, given.parameters)
  const { learned, heldOut } = split
  const size = batchSizeFor(split, given)
  const parameters = { ...given.parameters, batch_size: size }
  const options = { ...given, parameters }
  const { epochs, seed } = parameters
  const perEpoch = Math.floor(learned.length / size)
  const steps = perEpoch * epochs
  const { training, weights, run, record, evaluate, restored, close } = await openRun(options, split)
  let step = restored
  let order: { readonly epoch: number; readonly batches: readonly Uint32Array[] } | undefined
  const batchAt = (at: number) => {
    const epoch = Math.floor(at / perEpoch)
    if (order?.epoch !== epoch) order = { epoch, batches: batchesOf(learned.length, size, { seed, epoch }) }
    const places = order.batches[at % perEpoch] as Uint32Array
    return batchOf(
      examples,
      training,
      places.map(place => learned[place] as number),
    )
  }
  const progress = (): TrainingProgress => ({
    step,
    steps,
    epoch: Math.ceil(step / perEpoch),
    epochs,
    examples: step * size,
    loss: record.lastLoss(),
    learningRate: step === 0 ? undefined : learningRateAt(parameters, { step, steps }),
    lastEpoch: record.curves().at(-1),
    bestEpoch: record.best()?.epoch ?? record.curves().length,
    done: step === steps || record.isStopped(),
  })
  return {
    progress,
    async step() {
      if (progress().done) throw new Error('the run has ended')
      const { inputs, target } = batchAt(step)
      const rate = learningRateAt(parameters, { step: step + 1, steps })
      const loss = await run.step(inputs, target, rate)
      step += 1
      if (!Number.isFinite(loss)) throw new TrainingDiverged(step)
      record.addStep(loss)
      if (step % perEpoch > 0) return progress()
      const { vectors } = run.state()
      const validation = heldOut.length > 0 ? (await evaluate(vectors, heldOut)).scores : null
      if (validation && !Number.isFinite(validation.loss)) throw new TrainingDiverged(step)
      record.addEpoch({ step, learning_rate: rate, perEpoch, validation }, vectors)
      return progress()
    },
    checkpoint: () => record.write(run.state()),
    close,
    async finish() {
      const best = record.best()
      const vectors = best?.vectors ?? run.state().vectors
      if (![...vectors.values()].every(each => each.every(Number.isFinite))) throw new TrainingDiverged(step)
      const scores = heldOut.length > 0 ? await evaluate(vectors, heldOut) : undefined
      const ended = step === steps ? 'completed' : record.isStopped() ? 'early_stopping' : 'cancelled'
      return {
        model: weights.finish(trainedModel(weights.bytes, training, { step, vectors })),
        card: cardOf(options, { split, curves: record.curves(), bestEpoch: best?.epoch ?? null, scores, ended }),
      }
    },
  }
}

/** The graph, its steps, its record and its evaluation, from the beginning or from a checkpoint. */
async function openRun(options: TrainerOptions, { learned }: Split) {
  const { bytes, examples, parameters, open, restore } = options
  const { loss, seed, batch_size } = parameters
  const optimizer = { name: parameters.optimizer, weightDecay: parameters.weight_decay }
  const weights = weightsToTrain(bytes, parameters, options.besideAdapters)
  const first = learned.slice(0, batch_size)
  const batch = new Map([...examples.inputs].map(([name, tensor]) => [name, takeExamples(tensor, first)]))
  const training = await buildTrainingGraph(
    weights.bytes,
    { loss, batch, ...(weights.names && { trained: weights.names }) },
    async (model, inputs) => {
      const session = await open(model)
      // It held every value of the model at once.
      return await session.run(inputs).finally(() => session.close())
    },
  )
  checkTargets(training, examples, parameters)
  const kept = [training.weights, training.statistics].filter(({ length }) => length > 0).map(({ input }) => input)
  const { record, from } = openRunRecord(options, kept, restore)
  const opened: RunnableModel[] = []
  const openForRun = async (model: Uint8Array) => {
    const session = await open(model)
    opened.push(session)
    return session
  }
  const session = await openForRun(training.bytes)
  const run = openTrainingSteps({ training, optimizer, session, seed, ...(from && { from }) })
  const evaluate = await openEvaluation({ bytes: weights.bytes, training, examples, parameters, open: openForRun })
  const close = async () => {
    for (const each of opened.splice(0)) await each.close()
  }
  return { training, weights, run, record, evaluate, close, restored: from?.step ?? 0 }
}

function batchSizeFor({ learned, heldOut }: Split, { parameters, hasBatchSize }: TrainerOptions): number {
  const { batch_size } = parameters
  if (batch_size <= learned.length) return batch_size
  if (!hasBatchSize) return learned.length
  const rest = heldOut.length > 0 ? `, for ${heldOut.length} are held out` : ''
  const message = `must be at most ${learned.length}, as many examples as are trained on${rest}`
  throw new ParametersInvalid([{ path: 'parameters.batch_size', message }])
}

/** Targets have to go with the output as the model really makes it. */
function checkTargets(
  { target, prediction }: TrainingGraph,
  { targets, lines, column }: ExampleSet,
  { loss, batch_size: size }: TrainingParameters,
): void {
  const width = target.shape.slice(1).reduce((product, length) => product * length, 1)
  const has = targets.shape[1] as number
  if (target.shape[0] !== size) {
    const message = `has shape [${prediction.shape.join(', ')}] for ${size} examples; its first axis has to be theirs`
    throw new TrainingRefused(`the output "${prediction.name}" ${message}`)
  }
  if (width !== has) {
    const message = `has ${has} elements; the output of the model takes ${width}`
    throw new ExamplesInvalid(message, { line: lines[0] as number, column })
  }
  if (loss !== 'cross_entropy') return
  const classes = prediction.shape.at(-1) as number
  const wrong = (targets.data as BigInt64Array).findIndex(each => each >= classes)
  if (wrong < 0) return
  const message = `is ${targets.data[wrong]}; the model has classes from 0 to ${classes - 1}`
  throw new ExamplesInvalid(message, { line: lines[Math.floor(wrong / has)] as number, column })
}

function batchOf(examples: ExampleSet, training: TrainingGraph, chosen: Uint32Array) {
  const inputs = new Map(training.inputs.map(name => [name, takeExamples(examples.inputs.get(name) as Tensor, chosen)]))
  return { inputs, target: takeExamples(examples.targets, chosen).data }
}
