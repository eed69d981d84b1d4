/**
 * Normalization: x̂ = (x - μ) r with r = 1/√(σ² + ε), y = scale x̂ + bias. With g = scale dy, dx = r (g - mean g -
 * x̂ mean(g x̂)), the means over what was normalized. Ioffe and Szegedy, Batch Normalization (2015), section 3; Ba, Kiros
 * and Hinton, Layer Normalization (2016), supplement.
 */
import { floatOf, integerOf } from '../attributes.ts'
import type { DifferentiableOperator, Forward, GradientRule } from '../gradient-rule.ts'
import { type GraphWriter, PREFIX, withOutputs } from '../graph-writer.ts'
import { add, divide, multiply, reduce, reshape, type Shape, scalar, scale, subtract, sumTo } from '../operations.ts'

/** The mean and r, which the backward part needs, are further outputs of the operator. */
function layerForward({ graph, node }: Forward): void {
  const [y = '', mean, deviation] = node.output
  const output = [y, mean || keptName(y, 'mean'), deviation || keptName(y, 'r')]
  graph.copy(withOutputs(node, output))
}

const layer: GradientRule = b => {
  const { graph, dy } = b
  const shape = b.shapeOf(b.x())
  const first = integerOf(b.node, 'axis', -1)
  const axes = shape.map((_, axis) => axis).slice(first < 0 ? first + shape.length : first)
  const r = b.node.output[2] || keptName(b.y(), 'r')
  const mean = b.node.output[1] || keptName(b.y(), 'mean')
  const normalized = multiply(graph, subtract(graph, b.x(), mean), r)
  return [
    b.wants(0) ? inputGradient(graph, { g: multiply(graph, dy, b.x(1)), normalized, r, axes }) : undefined,
    b.wants(1) ? sumTo(graph, multiply(graph, dy, normalized), shape, b.shapeOf(b.x(1))) : undefined,
    b.wants(2) ? sumTo(graph, dy, shape, b.shapeOf(b.x(2))) : undefined,
  ]
}

/**
 * Normalizes by the batch where its scale or bias is trained, and updates the running statistics as the operator does
 * with `training_mode`. Where both are frozen it works as in inference.
 */
function batchForward(forward: Forward): void {
  const { graph, node } = forward
  if (!isTraining(forward)) {
    graph.copy(node)
    return
  }
  const [x = '', factor = '', bias = '', runningMean = '', runningVariance = ''] = node.input
  const y = node.output[0] as string
  const shape = forward.shapeOf(x)
  const axes = othersThanChannel(shape)
  const column = columnOf(shape)
  const mean = reduce(graph, 'ReduceMean', x, axes)
  const centred = subtract(graph, x, mean)
  const variance = reduce(graph, 'ReduceMean', multiply(graph, centred, centred), axes)
  const deviation = graph.add('Sqrt', [add(graph, variance, scalar(graph, floatOf(node, 'epsilon', 1e-5)))])
  const r = graph.add('Div', [scalar(graph, 1), deviation], {}, keptName(y, 'r'))
  const normalized = graph.add('Mul', [centred, r], {}, keptName(y, 'normalized'))
  const scaled = multiply(graph, normalized, reshape(graph, factor, column))
  graph.add('Add', [scaled, reshape(graph, bias, column)], {}, y)
  const momentum = Math.fround(floatOf(node, 'momentum', 0.9))
  for (const [running, now] of [
    [runningMean, mean],
    [runningVariance, variance],
  ] as const) {
    const part = scale(graph, reshape(graph, now, [shape[1] as number]), 1 - momentum)
    forward.updates(running, add(graph, scale(graph, running, momentum), part))
  }
}

const batch: GradientRule = b => {
  const { graph, dy } = b
  const shape = b.shapeOf(b.x())
  const axes = othersThanChannel(shape)
  const column = columnOf(shape)
  const g = multiply(graph, dy, reshape(graph, b.x(1), column))
  if (!b.wants(1) && !b.wants(2)) {
    const variance = add(graph, b.x(4), scalar(graph, floatOf(b.node, 'epsilon', 1e-5)))
    return [divide(graph, g, reshape(graph, graph.add('Sqrt', [variance]), column))]
  }
  const normalized = keptName(b.y(), 'normalized')
  const channels = [shape[1] as number]
  const total = (value: string) => reshape(graph, reduce(graph, 'ReduceSum', value, axes), channels)
  return [
    b.wants(0) ? inputGradient(graph, { g, normalized, r: keptName(b.y(), 'r'), axes }) : undefined,
    b.wants(1) ? total(multiply(graph, dy, normalized)) : undefined,
    b.wants(2) ? total(dy) : undefined,
  ]
}

/**
 * y = x / |x| along an axis. With s = y for the norm of the squares (p = 2) and the sign of x for that of the magnitudes
 * (p = 1), dx = (dy - s Σ y dy) / |x|: the quotient rule. The operator makes zeros of a norm of 0, which have no gradient.
 */
const unitLength: GradientRule = b => {
  const { graph, dy } = b
  const [x, y] = [b.x(), b.y()]
  const axis = integerOf(b.node, 'axis', -1)
  const axes = [axis < 0 ? axis + b.shapeOf(x).length : axis]
  const total = (value: string) => reduce(graph, 'ReduceSum', value, axes)
  const isSquared = integerOf(b.node, 'p', 2) === 2
  const norm = isSquared ? graph.add('Sqrt', [total(multiply(graph, x, x))]) : total(graph.add('Abs', [x]))
  const slope = isSquared ? y : graph.add('Sign', [x])
  const rest = subtract(graph, dy, multiply(graph, slope, total(multiply(graph, y, dy))))
  const isPositive = graph.add('Greater', [norm, scalar(graph, 0)])
  return [divide(graph, rest, graph.add('Where', [isPositive, norm, scalar(graph, Infinity)]))]
}

interface Normalized {
  readonly g: string
  readonly normalized: string
  readonly r: string
  readonly axes: readonly number[]
}

function inputGradient(graph: GraphWriter, { g, normalized, r, axes }: Normalized): string {
  const mean = reduce(graph, 'ReduceMean', g, axes)
  const alignment = reduce(graph, 'ReduceMean', multiply(graph, g, normalized), axes)
  const rest = subtract(graph, subtract(graph, g, mean), multiply(graph, normalized, alignment))
  return multiply(graph, rest, r)
}

const isTraining = ({ node, isTrained }: Forward) => isTrained(node.input[1]) || isTrained(node.input[2])

const keptName = (y: string, what: string) => `${PREFIX}${y}/${what}`

const othersThanChannel = (shape: Shape) => shape.map((_, axis) => axis).filter(axis => axis !== 1)

/** The shape of a value for each channel, to be broadcast. */
const columnOf = (shape: Shape) => shape.slice(1).map((length, axis) => (axis === 0 ? length : 1))

export const normalization: Readonly<Record<string, DifferentiableOperator>> = {
  LayerNormalization: { gradient: layer, forward: layerForward },
  BatchNormalization: { gradient: batch, forward: batchForward },
  LpNormalization: { gradient: unitLength },
}
