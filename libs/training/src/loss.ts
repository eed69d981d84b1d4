/** Losses, each the mean over a batch, with their gradient for the output of the model. */
import { type GraphWriter, PREFIX } from './graph-writer.ts'
import { add, multiply, negate, reduce, reshape, type Shape, scale, subtract, toFloat } from './operations.ts'
import { elementCount } from './tensor-proto.ts'

export type Loss = 'cross_entropy' | 'binary_cross_entropy' | 'mean_squared'

export interface Target {
  readonly name: string
  /** int64 for classes. */
  readonly dtype: 'float32' | 'int64'
  readonly shape: Shape
}

/** What the training graph takes beside the inputs of the model. */
export function targetOf(loss: Loss, output: Shape): Target {
  const name = `${PREFIX}target`
  if (loss === 'cross_entropy') return { name, dtype: 'int64', shape: output.slice(0, -1) }
  return { name, dtype: 'float32', shape: output }
}

/** The operators whose result a loss takes before them: it has them inside, where no number is rounded to 0. */
export const insideLoss: Readonly<Record<Loss, readonly string[]>> = {
  cross_entropy: ['Softmax', 'LogSoftmax'],
  binary_cross_entropy: ['Sigmoid'],
  mean_squared: [],
}

interface LossValue {
  /** A scalar. */
  readonly value: string
  /** The gradient for the output of the model. */
  readonly gradient: string
}

/** `output` and `target` are values of the graph; `shape` is that of the output. */
export function writeLoss(graph: GraphWriter, loss: Loss, output: string, shape: Shape, target: string): LossValue {
  return losses[loss](graph, output, shape, target)
}

const losses: Readonly<Record<Loss, (graph: GraphWriter, output: string, shape: Shape, target: string) => LossValue>> =
  { cross_entropy: crossEntropy, binary_cross_entropy: binaryCrossEntropy, mean_squared: meanSquared }

/**
 * -log of the softmax at the class, along the last axis; its gradient is softmax - one-hot. Bishop, Pattern Recognition
 * and Machine Learning (2006), equations 4.108 and 4.109.
 */
function crossEntropy(graph: GraphWriter, output: string, shape: Shape, target: string): LossValue {
  const classes = shape.at(-1) as number
  const count = elementCount(shape) / classes
  const logarithms = graph.add('LogSoftmax', [output], { axis: -1n })
  const range = graph.constant({
    dtype: 'int64',
    shape: [classes],
    data: BigInt64Array.from({ length: classes }, (_, at) => BigInt(at)),
  })
  const column = reshape(graph, target, [...shape.slice(0, -1), 1])
  const oneHot = toFloat(graph, graph.add('Equal', [column, range]))
  const chosen = total(graph, multiply(graph, logarithms, oneHot), shape)
  const difference = subtract(graph, graph.add('Exp', [logarithms]), oneHot)
  return { value: scale(graph, chosen, -1 / count), gradient: scale(graph, difference, 1 / count) }
}

/**
 * -t log σ(z) - (1 - t) log(1 - σ(z)), as max(z, 0) - z t + log(1 + exp(-|z|)), which no z makes infinite; its gradient is
 * σ(z) - t. Bishop (2006), equations 4.90 and 4.91.
 */
function binaryCrossEntropy(graph: GraphWriter, output: string, shape: Shape, target: string): LossValue {
  const count = elementCount(shape)
  const one = graph.constant({ dtype: 'float32', shape: [], data: Float32Array.of(1) })
  const tail = graph.add('Log', [add(graph, one, graph.add('Exp', [negate(graph, graph.add('Abs', [output]))]))])
  const line = subtract(graph, graph.add('Relu', [output]), multiply(graph, output, target))
  const difference = subtract(graph, graph.add('Sigmoid', [output]), target)
  return {
    value: scale(graph, total(graph, add(graph, line, tail), shape), 1 / count),
    gradient: scale(graph, difference, 1 / count),
  }
}

/** (y - t)², with the gradient 2 (y - t). Bishop (2006), equation 3.12, without its half. */
function meanSquared(graph: GraphWriter, output: string, shape: Shape, target: string): LossValue {
  const count = elementCount(shape)
  const difference = subtract(graph, output, target)
  const sum = total(graph, multiply(graph, difference, difference), shape)
  return { value: scale(graph, sum, 1 / count), gradient: scale(graph, difference, 2 / count) }
}

const total = (graph: GraphWriter, value: string, shape: Shape): string =>
  reshape(
    graph,
    reduce(
      graph,
      'ReduceSum',
      value,
      shape.map((_, axis) => axis),
    ),
    [],
  )
