/** Optimizer steps on all weights, which are one vector. */
import { type GraphWriter, PREFIX } from './graph-writer.ts'
import { add, divide, multiply, scale, subtract } from './operations.ts'

export type Optimizer =
  | { readonly name: 'sgd'; readonly momentum?: number; readonly weightDecay?: number }
  | {
      readonly name: 'adam' | 'adamw'
      readonly beta1?: number
      readonly beta2?: number
      readonly epsilon?: number
      readonly weightDecay?: number
    }

/** A vector as long as the weights that is carried from step to step; it begins as zeros. */
interface CarriedState {
  readonly input: string
  readonly output: string
}

export interface OptimizerStep {
  /** The new weights. */
  readonly weights: string
  readonly states: readonly CarriedState[]
  /** Scalars that a step takes beside. */
  readonly scalars: readonly string[]
}

const LEARNING_RATE = `${PREFIX}learning_rate`
const SIZE = `${PREFIX}adam/size`
const EPSILON = `${PREFIX}adam/epsilon`

/** The values of the scalars at a step; the first is step 1. */
export function scalarsAt(optimizer: Optimizer, step: number, learningRate: number): ReadonlyMap<string, number> {
  if (optimizer.name === 'sgd') return new Map([[LEARNING_RATE, learningRate]])
  const { beta1, beta2, epsilon } = { ...ADAM, ...optimizer }
  const root = Math.sqrt((1 - beta2) / (1 - beta2 ** step))
  return new Map([
    [LEARNING_RATE, learningRate],
    [SIZE, (learningRate * (1 - beta1)) / (1 - beta1 ** step) / root],
    [EPSILON, epsilon / root],
  ])
}

export function writeOptimizer(
  graph: GraphWriter,
  optimizer: Optimizer,
  weights: string,
  gradient: string,
): OptimizerStep {
  if (optimizer.name === 'sgd') return descent(graph, optimizer, weights, gradient)
  return adam(graph, optimizer, weights, gradient)
}

/** v' = momentum v + g, w' = w - rate v'. Sutskever and others, On the importance of initialization and momentum (2013), as PyTorch scales it. */
function descent(
  graph: GraphWriter,
  { momentum = 0, weightDecay = 0 }: Extract<Optimizer, { name: 'sgd' }>,
  weights: string,
  gradient: string,
): OptimizerStep {
  const decayed = decay(graph, weightDecay, weights, gradient)
  const input = `${PREFIX}momentum`
  const velocity = momentum === 0 ? decayed : add(graph, scale(graph, input, momentum), decayed)
  return {
    weights: subtract(graph, weights, multiply(graph, velocity, LEARNING_RATE)),
    states: momentum === 0 ? [] : [{ input, output: velocity }],
    scalars: [LEARNING_RATE],
  }
}

/**
 * m' = β₁ m + (1 - β₁) g, v' = β₂ v + (1 - β₂) g², w' = w - rate m̂ / (√v̂ + ε). Kingma and Ba, Adam (2014), algorithm 1;
 * with `adamw` the weights also lose rate × decay of themselves: Loshchilov and Hutter, Decoupled Weight Decay
 * Regularization (2017), algorithm 2.
 *
 * What is carried is m / (1 - β₁) and v / (1 - β₂): the factors are in the scalars of a step, as are those of m̂ and v̂,
 * so that each step goes over the weights ten times and not thirteen.
 */
function adam(
  graph: GraphWriter,
  optimizer: Exclude<Optimizer, { name: 'sgd' }>,
  weights: string,
  gradient: string,
): OptimizerStep {
  const { beta1, beta2, weightDecay, name } = { ...ADAM, ...optimizer }
  const g = name === 'adam' ? decay(graph, weightDecay, weights, gradient) : gradient
  const [first, second] = [`${PREFIX}adam/first`, `${PREFIX}adam/second`]
  const mean = add(graph, scale(graph, first, beta1), g)
  const square = add(graph, scale(graph, second, beta2), multiply(graph, g, g))
  const step = divide(graph, mean, add(graph, graph.add('Sqrt', [square]), EPSILON))
  const shrunk = () => multiply(graph, weights, scale(graph, LEARNING_RATE, weightDecay))
  const decays = name === 'adamw' && weightDecay > 0
  return {
    weights: subtract(graph, decays ? subtract(graph, weights, shrunk()) : weights, multiply(graph, step, SIZE)),
    states: [
      { input: first, output: mean },
      { input: second, output: square },
    ],
    scalars: decays ? [LEARNING_RATE, SIZE, EPSILON] : [SIZE, EPSILON],
  }
}

/** The defaults of the paper. */
const ADAM = { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0 }

const decay = (graph: GraphWriter, factor: number, weights: string, gradient: string): string =>
  factor === 0 ? gradient : add(graph, gradient, scale(graph, weights, factor))
