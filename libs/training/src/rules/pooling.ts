/** Pooling. Goodfellow, Bengio and Courville, Deep Learning (2016), section 9.3. */
import { integerOf, integersOf } from '../attributes.ts'
import type { Backward, DifferentiableOperator, Forward, GradientRule } from '../gradient-rule.ts'
import { PREFIX, withOutputs } from '../graph-writer.ts'
import { divide, expand, multiply, reduce, reshape, type Shape, scale, toFloat, zeros } from '../operations.ts'
import { elementCount } from '../tensor-proto.ts'
import { spread, type Windows, windowsOf } from './windows.ts'

/** The index of each largest element, which the backward part needs, is a further output of the operator. */
function maxForward({ graph, node }: Forward): void {
  const [y = ''] = node.output
  graph.copy(withOutputs(node, [y, indicesOf(node.output)]))
}

const indicesOf = ([y = '', indices]: readonly string[]) => indices || `${PREFIX}${y}/indices`

/** The largest element of each window has its gradient; one that is the largest of several has their sum. */
const max: GradientRule = b => {
  const { graph, node } = b
  const shape = b.shapeOf(b.x())
  const { kernel, strides, dilations } = windowsIn(b)
  const count = elementCount(b.shapeOf(b.y()))
  const overlap = kernel.some((length, axis) => (length - 1) * (dilations[axis] as number) >= (strides[axis] as number))
  if (integerOf(node, 'storage_order', 0) !== 0) throw b.refuse('stores columns first')
  if (overlap && graph.opset < 16) throw b.refuse('has windows that overlap, which needs operators of version 16')
  const flat = graph.add(
    'ScatterElements',
    [
      zeros(graph, [elementCount(shape)]),
      reshape(graph, indicesOf(node.output), [count]),
      reshape(graph, b.dy, [count]),
    ],
    { axis: 0n, ...(overlap && { reduction: 'add' }) },
  )
  return [reshape(graph, flat, shape)]
}

/** Each element has an equal share of the gradient of its window. */
const average: GradientRule = b => {
  const { graph, node } = b
  const input = b.shapeOf(b.x())
  const output = b.shapeOf(b.y())
  const windows = windowsIn(b)
  const countPadding = integerOf(node, 'count_include_pad', 0) !== 0
  if (countPadding && integerOf(node, 'ceil_mode', 0) !== 0) throw b.refuse('counts padding and rounds up')
  const channels = input[1] as number
  const weights = graph.constant({
    dtype: 'float32',
    shape: [channels, 1, ...windows.kernel],
    data: new Float32Array(channels * elementCount(windows.kernel)).fill(1),
  })
  const sizes = countPadding ? elementCount(windows.kernel) : sizesOf(windows, input, output)
  const gradient =
    typeof sizes === 'number'
      ? scale(graph, b.dy, 1 / sizes)
      : divide(graph, b.dy, graph.constant({ dtype: 'float32', shape: [1, 1, ...output.slice(2)], data: sizes }))
  return [spread(graph, { gradient, weights, windows, group: channels }, input, output)]
}

/** How many elements are in each window, without padding. */
function sizesOf({ kernel, strides, dilations, before }: Windows, input: Shape, output: Shape): Float32Array {
  const perAxis = kernel.map((length, axis) =>
    Array.from({ length: output[axis + 2] as number }, (_, at) => {
      const start = at * (strides[axis] as number) - (before[axis] as number)
      const places = Array.from({ length }, (_, element) => start + element * (dilations[axis] as number))
      return places.filter(place => place >= 0 && place < (input[axis + 2] as number)).length
    }),
  )
  const products = perAxis.reduce((sizes, axis) => sizes.flatMap(size => axis.map(each => size * each)), [1])
  return Float32Array.from(products)
}

/** The mean over all of a channel. */
const globalAverage: GradientRule = b => {
  const shape = b.shapeOf(b.x())
  return [expand(b.graph, scale(b.graph, b.dy, 1 / elementCount(shape.slice(2))), shape)]
}

/** The largest of a channel; several that are equal share the gradient, as in JAX. */
const globalMax: GradientRule = b => {
  const { graph } = b
  const axes = b.shapeOf(b.x()).map((_, axis) => axis)
  const isLargest = toFloat(graph, graph.add('Equal', [b.x(), b.y()]))
  const count = reduce(graph, 'ReduceSum', isLargest, axes.slice(2))
  return [multiply(graph, isLargest, divide(graph, b.dy, count))]
}

/** ONNX Runtime 1.30 leaves out a last window that begins in padding, but counts it where it infers shapes. */
function windowsIn(b: Backward): Windows {
  const input = b.shapeOf(b.x())
  const output = b.shapeOf(b.y())
  const windows = windowsOf(b.node, integersOf(b.node, 'kernel_shape') ?? [], input, output)
  const inferred = windows.kernel.map((length, axis) => {
    const [stride = 1, dilation = 1] = [windows.strides[axis], windows.dilations[axis]]
    const padded = (input[axis + 2] ?? 0) + (windows.before[axis] ?? 0) + (windows.after[axis] ?? 0)
    return Math.ceil((padded - (length - 1) * dilation - 1) / stride) + 1
  })
  const roundsUp = integerOf(b.node, 'ceil_mode', 0) !== 0
  if (roundsUp && inferred.some((length, axis) => length !== output[axis + 2])) {
    throw b.refuse('rounds up to a window that begins in padding')
  }
  return windows
}

export const pooling: Readonly<Record<string, DifferentiableOperator>> = {
  MaxPool: { gradient: max, forward: maxForward },
  AveragePool: { gradient: average },
  GlobalAveragePool: { gradient: globalAverage },
  GlobalMaxPool: { gradient: globalMax },
}
