/** Operators that move elements: their gradient moves them back. */
import { integerOf, integersOf } from '../attributes.ts'
import type { DifferentiableOperator, GradientRule } from '../gradient-rule.ts'
import { reshape, sumTo, transpose } from '../operations.ts'

const moved: GradientRule = b => [b.dy]

const reshaped: GradientRule = b => [reshape(b.graph, b.dy, b.shapeOf(b.x()))]

/** The inverse permutation. */
const transposed: GradientRule = b => {
  const axes = b.shapeOf(b.x()).map((_, axis) => axis)
  const permutation = integersOf(b.node, 'perm') ?? axes.toReversed()
  return [
    transpose(
      b.graph,
      b.dy,
      axes.map(axis => permutation.indexOf(axis)),
    ),
  ]
}

/** The copies of an element are summed. */
const expanded: GradientRule = b => [sumTo(b.graph, b.dy, b.shapeOf(b.y()), b.shapeOf(b.x()))]

const cast: GradientRule = b => {
  if (integerOf(b.node, 'to', 0) !== 1) throw b.refuse('casts what is trained to another type than float32')
  return [b.dy]
}

export const shapes: Readonly<Record<string, DifferentiableOperator>> = {
  Identity: { gradient: moved },
  Cast: { gradient: cast },
  Reshape: { gradient: reshaped },
  Flatten: { gradient: reshaped },
  Squeeze: { gradient: reshaped },
  Unsqueeze: { gradient: reshaped },
  Transpose: { gradient: transposed },
  Expand: { gradient: expanded },
}
