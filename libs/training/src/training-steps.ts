/** The steps of a run. What a step makes (weights, statistics, states of the optimizer) goes into the next. */
import type { Tensor } from '@millhand/model'
import { randomAt } from './counter-random.ts'
import { type Optimizer, openOptimizer } from './optimizer.ts'
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
  const { target, masks, loss, weights, statistics, gradients } = training
  const updates = openOptimizer(optimizer, weights.length)
  updates.weights.set(weights.initial)
  const vectors = new Map<string, Float32Array>([[weights.input, updates.weights], ...updates.states])
  if (statistics.length > 0) vectors.set(statistics.input, statistics.initial.slice())
  if (from) for (const [name, vector] of vectors) vector.set(stored(from, name, vector.length))
  let steps = from?.step ?? 0
  return {
    async step(batch, data, learningRate) {
      const number = steps + 1
      const inputs = new Map<string, Tensor>(batch)
      inputs.set(target.name, { ...target, data })
      for (const [stream, mask] of masks.entries()) {
        inputs.set(mask.input, maskAt(mask, { seed, stream, step: number }))
      }
      for (const { input, length } of [weights, statistics]) {
        const data = vectors.get(input)
        if (data) inputs.set(input, { dtype: 'float32', shape: [length], data })
      }
      const outputs = await session.run(inputs)
      const dataOf = (name: string) => (outputs.get(name) as Tensor).data as Float32Array<ArrayBuffer>
      updates.gradients.set(dataOf(gradients))
      release(dataOf(gradients))
      if (statistics.length > 0) vectors.set(statistics.input, dataOf(statistics.output))
      updates.step(number, learningRate)
      steps = number
      return Number(dataOf(loss)[0])
    },
    state: () => ({
      step: steps,
      vectors: new Map([...vectors].map(([name, data]) => [name, data.slice()])),
    }),
  }
}

/**
 * Frees the memory of an array at once. The binding of 1.30 makes new arrays for the outputs of each run, also where it is
 * given some to write into; left to the garbage collector they cost a third of the time of a small step.
 */
const release = ({ buffer }: Float32Array<ArrayBuffer>): void => void buffer.transfer(0)

/** A vector of a state. */
function stored({ vectors }: TrainingState, name: string, length: number): Float32Array {
  const found = vectors.get(name)
  if (found?.length !== length)
    throw new Error(`the state is of another training graph: it has no "${name}" of ${length}`)
  return found
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
