/** Cases of operators, whose gradients are checked. */
import type { Attributes } from './graph-writer.ts'
import type { Network } from './network.fixture.ts'

interface OperatorCase {
  readonly operator: string
  readonly what: string
  /** Adds the operator with its inputs, and returns the square of its output: the operator is neither first nor last. */
  build(network: Network): string
  readonly opset: number
}

export interface Cases {
  readonly cases: readonly OperatorCase[]
  /** An operator whose inputs are weights of these shapes, between two numbers. */
  weights(operator: string, what: string, shapes: number[][], attributes?: Attributes, range?: [number, number]): void
  /** `add` adds the operator with its inputs, and returns its output. */
  other(operator: string, what: string, add: (network: Network) => string, opset?: number): void
}

export function collectCases(): Cases {
  const cases: OperatorCase[] = []
  const other: Cases['other'] = (operator, what, add, opset = 20) => {
    const build = (network: Network) => {
      const output = add(network)
      return network.node('Mul', [output, output])
    }
    cases.push({ operator, what, build, opset })
  }
  return {
    cases,
    other,
    weights: (operator, what, shapes, attributes = {}, range = [-1, 1]) =>
      other(operator, what, network =>
        network.node(
          operator,
          shapes.map(shape => network.weight(shape, ...range)),
          attributes,
        ),
      ),
  }
}
