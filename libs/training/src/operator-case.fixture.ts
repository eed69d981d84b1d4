/** Cases of operators, whose gradients are checked. */
import type { Attributes } from './graph-writer.ts'
import type { Network } from './network.fixture.ts'

interface Case {
  readonly operator: string
  readonly what: string
  /** Adds the operator with its inputs, and returns its output. */
  add(network: Network): string
  readonly opset?: number
}

export interface Cases {
  readonly cases: readonly Case[]
  /** An operator whose inputs are weights of these shapes, between two numbers. */
  weights(operator: string, what: string, shapes: number[][], attributes?: Attributes, range?: [number, number]): void
  other(operator: string, what: string, add: Case['add'], opset?: number): void
}

export function collectCases(): Cases {
  const cases: Case[] = []
  const other: Cases['other'] = (operator, what, add, opset) =>
    void cases.push({ operator, what, add, ...(opset !== undefined && { opset }) })
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
