/** The operators that gradients are written with. Each takes and gives names of values. */
import type { GraphWriter } from './graph-writer.ts'
import { elementCount } from './tensor-proto.ts'

export type Shape = readonly number[]

export const scalar = (graph: GraphWriter, value: number): string =>
  graph.constant({ dtype: 'float32', shape: [], data: Float32Array.of(value) })

export const integers = (graph: GraphWriter, values: readonly number[]): string =>
  graph.constant({ dtype: 'int64', shape: [values.length], data: BigInt64Array.from(values, BigInt) })

export const zeros = (graph: GraphWriter, shape: Shape): string => expand(graph, scalar(graph, 0), shape)

export const add = (graph: GraphWriter, a: string, b: string): string => graph.add('Add', [a, b])
export const subtract = (graph: GraphWriter, a: string, b: string): string => graph.add('Sub', [a, b])
export const multiply = (graph: GraphWriter, a: string, b: string): string => graph.add('Mul', [a, b])
export const divide = (graph: GraphWriter, a: string, b: string): string => graph.add('Div', [a, b])
export const negate = (graph: GraphWriter, a: string): string => graph.add('Neg', [a])

/** Times a number; the value itself where that is 1. */
export const scale = (graph: GraphWriter, value: string, factor: number): string =>
  factor === 1 ? value : multiply(graph, value, scalar(graph, factor))

export const reshape = (graph: GraphWriter, value: string, shape: Shape): string =>
  graph.add('Reshape', [value, integers(graph, shape)])

export const expand = (graph: GraphWriter, value: string, shape: Shape): string =>
  graph.add('Expand', [value, integers(graph, shape)])

export const transpose = (graph: GraphWriter, value: string, axes: readonly number[]): string =>
  axes.every((axis, at) => axis === at) ? value : graph.add('Transpose', [value], { perm: axes.map(BigInt) })

export const toFloat = (graph: GraphWriter, value: string): string => graph.add('Cast', [value], { to: 1n })

/** 1 where the first is greater than the second, elsewhere 0. */
export const isGreater = (graph: GraphWriter, a: string, b: string): string =>
  toFloat(graph, graph.add('Greater', [a, b]))

type Reduction = 'ReduceSum' | 'ReduceMean' | 'ReduceMax'

/** Over these axes, which stay with length 1. Axes are an input since version 13 (ReduceSum) and 18 (the others). */
export function reduce(graph: GraphWriter, operator: Reduction, value: string, axes: readonly number[]): string {
  if (axes.length === 0) return value // To the operators no axes are all.
  if (operator === 'ReduceSum' || graph.opset >= 18) {
    return graph.add(operator, [value, integers(graph, axes)], { keepdims: 1n })
  }
  return graph.add(operator, [value], { axes: axes.map(BigInt), keepdims: 1n })
}

/**
 * Undoes broadcasting: the gradient of a value of shape `to` that was broadcast to `from` is the sum over all its
 * copies (NumPy's rules: shapes are aligned at their last axes, lengths of 1 are repeated).
 */
export function sumTo(graph: GraphWriter, gradient: string, from: Shape, to: Shape): string {
  const more = from.length - to.length
  const axes = from.flatMap((length, axis) => (axis < more || to[axis - more] !== length ? [axis] : []))
  if (axes.length === 0) return gradient
  const columns = elementCount(from.slice(axes.length))
  const isOverRows = axes.at(-1) === axes.length - 1 && columns > 1
  if (isOverRows) {
    const rows = elementCount(from) / columns
    const matrix = from.length === 2 ? gradient : reshape(graph, gradient, [rows, columns])
    return reshape(graph, sumRows(graph, matrix, rows), to)
  }
  const sum = reduce(graph, 'ReduceSum', gradient, axes)
  return more === 0 ? sum : reshape(graph, sum, to)
}

/** Of a matrix, as a product with ones: ONNX Runtime takes half as long for it as for a reduction. */
const sumRows = (graph: GraphWriter, matrix: string, rows: number): string =>
  graph.add('Gemm', [expand(graph, scalar(graph, 1), [1, rows]), matrix])

/**
 * The gradient of values that were taken from `shape` along an axis: each gradient is added at the index it was taken
 * from. `indices` are int64 of `count` elements; the gradient has `count` in the place of the axis.
 */
export function scatterAdd(
  graph: GraphWriter,
  { shape, axis, indices, count }: { shape: Shape; axis: number; indices: string; count: number },
  gradient: string,
): string {
  const length = shape[axis] as number
  const others = shape.filter((_, at) => at !== axis)
  const toFront = [axis, ...shape.map((_, at) => at).filter(at => at !== axis)]
  const back = shape.map((_, at) => toFront.indexOf(at))
  const rows = transpose(graph, gradient, toFront)
  const inFront = (): string => {
    if (graph.opset >= 16) {
      const column = reshape(graph, indices, [count, 1])
      return graph.add('ScatterND', [zeros(graph, [length, ...others]), column, rows], { reduction: 'add' })
    }
    // Before version 16 nothing adds at indices that repeat: a product with a matrix of ones and zeros does.
    const positive = graph.add('Mod', [reshape(graph, indices, [1, count]), integers(graph, [length])])
    const range = graph.constant({
      dtype: 'int64',
      shape: [length, 1],
      data: BigInt64Array.from({ length }, (_, at) => BigInt(at)),
    })
    const oneHot = toFloat(graph, graph.add('Equal', [range, positive]))
    const matrix = reshape(graph, rows, [count, elementCount(others)])
    return reshape(graph, graph.add('MatMul', [oneHot, matrix]), [length, ...others])
  }
  return transpose(graph, inFront(), back)
}
