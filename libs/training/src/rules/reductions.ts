/** Sums, means and maxima over axes. Griewank and Walther, Evaluating Derivatives (2nd edition, 2008), section 3.2. */
import { integerOf, integersOf } from '../attributes.ts'
import type { Backward, DifferentiableOperator, GradientRule } from '../gradient-rule.ts'
import { divide, expand, multiply, reduce, reshape, scale, toFloat } from '../operations.ts'
import { elementCount } from '../tensor-proto.ts'

/** Each term of a sum has the gradient of the sum. */
const sum: GradientRule = b => [expand(b.graph, kept(b, b.dy), b.shapeOf(b.x()))]

/** Each of n has an nth of the gradient of the mean. */
const mean: GradientRule = b => {
  const share = elementCount(b.shapeOf(b.y())) / elementCount(b.shapeOf(b.x()))
  return [expand(b.graph, scale(b.graph, kept(b, b.dy), share), b.shapeOf(b.x()))]
}

/** The largest has the gradient; several that are equal share it, as in JAX. */
const maximum: GradientRule = b => {
  const { graph } = b
  const isLargest = toFloat(graph, graph.add('Equal', [b.x(), kept(b, b.y())]))
  const count = reduce(graph, 'ReduceSum', isLargest, axesOf(b))
  return [multiply(graph, isLargest, divide(graph, kept(b, b.dy), count))]
}

/** What was reduced, with the reduced axes as length 1. */
function kept(b: Backward, value: string): string {
  const axes = axesOf(b)
  const shape = b.shapeOf(b.x()).map((length, axis) => (axes.includes(axis) ? 1 : length))
  return shape.length === b.shapeOf(b.y()).length ? value : reshape(b.graph, value, shape)
}

function axesOf(b: Backward): number[] {
  const rank = b.shapeOf(b.x()).length
  const axes = integersOf(b.node, 'axes') ?? b.integers(1) ?? []
  if (axes.length > 0) return axes.map(axis => (axis < 0 ? axis + rank : axis))
  return integerOf(b.node, 'noop_with_empty_axes', 0) === 0 ? b.shapeOf(b.x()).map((_, axis) => axis) : []
}

export const reductions: Readonly<Record<string, DifferentiableOperator>> = {
  ReduceSum: { gradient: sum },
  ReduceMean: { gradient: mean },
  ReduceMax: { gradient: maximum },
}
