/** The steps of a run. What a step makes (weights, statistics, states of the optimizer) goes into the next. */
import type { Tensor } from '@millhand/model'
import { randomAt } from './counter-random.ts'
import { type Optimizer, scalarsAt } from './optimizer.ts'
import { elementCount } from './tensor-proto.ts'
import type { TrainingGraph } from './training-graph.ts'

/** A session that holds the training graph. On one thread the same inputs give the same bits. */
interface StepSession {
  run(inputs: ReadonlyMap<string, Tensor>): Promise<ReadonlyMap<string, Tensor>>
}

export interface TrainingSteps {
  /** Makes a step on a batch and resolves with its loss, before the step. Shapes are those that the graph was built with. */
  step(batch: ReadonlyMap<string, Tensor>, target: Tensor['data'], learningRate: number): Promise<number>
  /** A copy of all that the next step depends on, beside its batch. */
  state(): TrainingState
}

export interface TrainingState {
  /** Steps made. */
  readonly step: number
  /** By the inputs of the graph. */
  readonly vectors: ReadonlyMap<string, Float32Array>
}

export interface TrainingStepsOptions {
  readonly training: TrainingGraph
  readonly optimizer: Optimizer
  readonly session: StepSession
  /** Of the masks of dropout, from 0 to 2^32 - 1. */
  readonly seed: number
  /** To go on from; default the beginning. Throws where it is of another graph. */
  readonly from?: TrainingState
}

export function openTrainingSteps({ training, optimizer, session, seed, from }: TrainingStepsOptions): TrainingSteps {
  const { target, masks, loss } = training
  const vectors = vectorsOf(training).map(({ input, output, initial }) => ({
    input,
    output,
    current: vector(from ? stored(from, input, initial.length) : initial.slice()),
  }))
  let steps = from?.step ?? 0
  return {
    async step(batch, data, learningRate) {
      const number = steps + 1
      const inputs = new Map<string, Tensor>(batch)
      inputs.set(target.name, { ...target, data })
      for (const [name, value] of scalarsAt(optimizer, number, learningRate)) {
        if (training.scalars.includes(name))
          inputs.set(name, { dtype: 'float32', shape: [], data: Float32Array.of(value) })
      }
      for (const [stream, mask] of masks.entries()) {
        inputs.set(mask.input, maskAt(mask, { seed, stream, step: number }))
      }
      for (const { input, current } of vectors) inputs.set(input, current)
      const outputs = await session.run(inputs)
      for (const each of vectors) {
        release(each.current)
        each.current = outputs.get(each.output) as Tensor
      }
      steps = number
      return Number((outputs.get(loss) as Tensor).data[0])
    },
    state: () => ({
      step: steps,
      vectors: new Map(vectors.map(({ input, current }) => [input, (current.data as Float32Array).slice()])),
    }),
  }
}

/**
 * Frees the memory of an array at once. The binding of 1.30 makes new arrays for the outputs of each run, also where it is
 * given some to write into; left to the garbage collector they cost a third of the time of a small step.
 */
const release = ({ data }: Tensor): void => void (data as Float32Array<ArrayBuffer>).buffer.transfer(0)

/** A copy of a vector of the state. */
function stored({ vectors }: TrainingState, input: string, length: number): Float32Array {
  const found = vectors.get(input)
  if (found?.length !== length)
    throw new Error(`the state is of another training graph: it has no "${input}" of ${length}`)
  return found.slice()
}

const vector = (data: Float32Array): Tensor => ({ dtype: 'float32', shape: [data.length], data })

function vectorsOf({ weights, statistics, states }: TrainingGraph) {
  const zeros = () => new Float32Array(weights.length)
  return [
    weights,
    ...(statistics.length > 0 ? [statistics] : []),
    ...states.map(state => ({ ...state, initial: zeros() })),
  ]
}

interface Place {
  readonly seed: number
  readonly stream: number
  readonly step: number
}

/** The mask of a step depends on its place alone: a run that was interrupted goes on with the same. */
function maskAt({ shape, ratio }: TrainingGraph['masks'][number], { seed, stream, step }: Place): Tensor {
  const kept = 1 / (1 - ratio)
  const least = ratio * 2 ** 32
  const data = new Float32Array(elementCount(shape))
  for (let index = 0; index < data.length; index += 1) {
    data[index] = randomAt(seed, stream, step, index) < least ? 0 : kept
  }
  return { dtype: 'float32', shape, data }
}
