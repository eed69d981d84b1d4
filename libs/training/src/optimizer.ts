/** Optimizer steps on all weights, which are one vector. */
import { PREFIX } from './graph-writer.ts'
import { compileKernel, type KernelBody } from './vector-kernel.ts'

export type Optimizer =
  | { readonly name: 'sgd'; readonly momentum?: number; readonly weightDecay?: number }
  | {
      readonly name: 'adam' | 'adamw'
      readonly beta1?: number
      readonly beta2?: number
      readonly epsilon?: number
      readonly weightDecay?: number
    }

export interface OptimizerSteps {
  readonly weights: Float32Array<ArrayBuffer>
  /** Written before each step. */
  readonly gradients: Float32Array<ArrayBuffer>
  /** What is carried from step to step, by name; zeros before the first. */
  readonly states: ReadonlyMap<string, Float32Array<ArrayBuffer>>
  /** Updates the weights. The first is step 1. */
  step(number: number, learningRate: number): void
}

/** For so many weights. */
export function openOptimizer(optimizer: Optimizer, length: number): OptimizerSteps {
  return optimizer.name === 'sgd' ? descent(optimizer, length) : adam(optimizer, length)
}

/** v' = momentum v + g, w' = w - rate v'. Sutskever and others, On the importance of initialization and momentum (2013), as PyTorch scales it. */
function descent(
  { momentum = 0, weightDecay = 0 }: Extract<Optimizer, { name: 'sgd' }>,
  length: number,
): OptimizerSteps {
  const { vectors, run } = compileKernel({
    length,
    vectors: ['weights', 'gradients', ...(momentum === 0 ? [] : ['velocity' as const])],
    scalars: ['rate'],
    write(body) {
      const weights = body.load('weights')
      const decayed = decay(body, weightDecay, weights, body.load('gradients'))
      let velocity = decayed
      if (momentum !== 0) {
        velocity = body.add(body.multiply(body.load('velocity'), body.constant(momentum)), decayed)
        body.store('velocity', velocity)
      }
      body.store('weights', body.subtract(weights, body.multiply(velocity, body.scalar('rate'))))
    },
  })
  const { weights, gradients, velocity } = vectors
  return {
    weights,
    gradients,
    states: new Map(momentum === 0 ? [] : [[`${PREFIX}momentum`, velocity]]),
    step: (_, rate) => run({ rate }),
  }
}

/**
 * m' = β₁ m + (1 - β₁) g, v' = β₂ v + (1 - β₂) g², w' = w - rate m̂ / (√v̂ + ε). Kingma and Ba, Adam (2014), algorithm 1;
 * with `adamw` the weights also lose rate × decay of themselves: Loshchilov and Hutter, Decoupled Weight Decay
 * Regularization (2017), algorithm 2.
 */
function adam(optimizer: Exclude<Optimizer, { name: 'sgd' }>, length: number): OptimizerSteps {
  const { beta1, beta2, epsilon, weightDecay, name } = { ...ADAM, ...optimizer }
  const { vectors, run } = compileKernel({
    length,
    vectors: ['weights', 'gradients', 'first', 'second'],
    scalars: ['size', 'spread', 'shrink'],
    write(body) {
      const { load, store, scalar, constant, add, subtract, multiply, divide, sqrt } = body
      const weights = load('weights')
      const gradient = decay(body, name === 'adam' ? weightDecay : 0, weights, load('gradients'))
      const first = add(multiply(load('first'), constant(beta1)), multiply(gradient, constant(1 - beta1)))
      const square = multiply(multiply(gradient, gradient), constant(1 - beta2))
      const second = add(multiply(load('second'), constant(beta2)), square)
      const root = add(sqrt(multiply(second, scalar('spread'))), constant(epsilon))
      store('first', first)
      store('second', second)
      const decays = name === 'adamw' && weightDecay > 0
      const kept = decays ? subtract(weights, multiply(weights, scalar('shrink'))) : weights
      store('weights', subtract(kept, divide(multiply(first, scalar('size')), root)))
    },
  })
  const { weights, gradients, first, second } = vectors
  return {
    weights,
    gradients,
    states: new Map([
      [`${PREFIX}adam/first`, first],
      [`${PREFIX}adam/second`, second],
    ]),
    step(number, rate) {
      const [size, spread] = [rate / (1 - beta1 ** number), 1 / (1 - beta2 ** number)]
      run({ size, spread, shrink: rate * weightDecay })
    },
  }
}

/** The defaults of the paper. */
const ADAM = { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0 }

/** The gradient with that of weight decay. */
function decay(
  { add, multiply, constant }: Pick<KernelBody<never, never>, 'add' | 'multiply' | 'constant'>,
  factor: number,
  weights: number,
  gradient: number,
): number {
  return factor === 0 ? gradient : add(gradient, multiply(weights, constant(factor)))
}
