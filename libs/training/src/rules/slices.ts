/** Operators that take parts of values or put them together. What was not taken has no gradient. */
import { integerOf } from '../attributes.ts'
import type { Backward, DifferentiableOperator, GradientRule } from '../gradient-rule.ts'
import { integers, reshape, scatterAdd, zeros } from '../operations.ts'
import { elementCount } from '../tensor-proto.ts'

/** Each input has its part of the gradient. */
const concatenation: GradientRule = b => {
  const axis = axisOf(b, b.shapeOf(b.y()).length)
  const lengths = b.node.input.map(name => b.shapeOf(name)[axis] as number)
  if (lengths.length === 1) return [b.dy]
  const parts = b.graph.addMany('Split', [b.dy, integers(b.graph, lengths)], lengths.length, { axis: BigInt(axis) })
  return parts.map((part, input) => (b.wants(input) ? part : undefined))
}

/** The gradients of the parts, put together. */
const split: GradientRule = b => {
  const axis = axisOf(b, b.shapeOf(b.x()).length)
  const parts = b.node.output.map((name, output) => b.gradient(output) ?? zeros(b.graph, b.shapeOf(name)))
  return [b.graph.add('Concat', parts, { axis: BigInt(axis) })]
}

/** Zeros round the part; where steps are not 1, each gradient goes to the index it was taken from. */
const slice: GradientRule = b => {
  const { graph } = b
  const whole = b.shapeOf(b.x())
  const starts = b.integers(1) ?? []
  const axes = (b.integers(3) ?? starts.map((_, at) => at)).map(axis => (axis < 0 ? axis + whole.length : axis))
  const steps = b.integers(4) ?? starts.map(() => 1)
  const shape = [...b.shapeOf(b.y())]
  const before = whole.map(() => 0)
  let gradient = b.dy
  axes.forEach((axis, at) => {
    const length = whole[axis] as number
    const step = steps[at] as number
    const start = firstIndex(starts[at] as number, length, step)
    if (step === 1) {
      before[axis] = start
      return
    }
    const count = shape[axis] as number
    shape[axis] = length
    const indices = integers(
      graph,
      Array.from({ length: count }, (_, index) => start + index * step),
    )
    gradient = scatterAdd(graph, { shape, axis, indices, count }, gradient)
  })
  const after = whole.map((length, axis) => length - (shape[axis] as number) - (before[axis] as number))
  if ([...before, ...after].every(count => count === 0)) return [gradient]
  return [graph.add('Pad', [gradient, integers(graph, [...before, ...after])])]
}

/** The first index that Slice takes, by its rules for negative numbers and those outside. */
function firstIndex(start: number, length: number, step: number): number {
  const index = start < 0 ? start + length : start
  return Math.min(Math.max(index, 0), step > 0 ? length : length - 1)
}

/** The gradients of all that were taken from an index, summed. */
const gather: GradientRule = b => {
  const { graph } = b
  if (!b.wants(0)) return [undefined]
  const shape = b.shapeOf(b.x(0))
  const axis = axisOf(b, shape.length)
  const count = elementCount(b.shapeOf(b.x(1)))
  const gradient = reshape(graph, b.dy, [...shape.slice(0, axis), count, ...shape.slice(axis + 1)])
  const indices = graph.add('Cast', [reshape(graph, b.x(1), [count])], { to: 7n })
  return [scatterAdd(graph, { shape, axis, indices, count }, gradient)]
}

function axisOf(b: Backward, rank: number): number {
  const axis = integerOf(b.node, 'axis', 0)
  return axis < 0 ? axis + rank : axis
}

export const slices: Readonly<Record<string, DifferentiableOperator>> = {
  Concat: { gradient: concatenation },
  Split: { gradient: split },
  Slice: { gradient: slice },
  Gather: { gradient: gather },
}
