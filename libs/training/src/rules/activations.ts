/** Activation functions. */
import { floatOf, integerOf, textOf } from '../attributes.ts'
import type { Backward, DifferentiableOperator, GradientRule } from '../gradient-rule.ts'
import { add, isGreater, multiply, negate, reduce, scalar, scale, subtract } from '../operations.ts'

/** da where a > 0, else 0: the slope at 0 is 0. Goodfellow, Bengio and Courville, Deep Learning (2016), section 6.3. */
const relu: GradientRule = ({ graph, dy, y }) => [multiply(graph, dy, isGreater(graph, y(), scalar(graph, 0)))]

/** da where a > 0, else alpha da. Maas, Hannun and Ng, Rectifier Nonlinearities (2013), section 2. */
const leakyRelu: GradientRule = ({ graph, node, dy, x }) => {
  const alpha = floatOf(node, 'alpha', 0.01)
  const positive = isGreater(graph, x(), scalar(graph, 0))
  return [multiply(graph, dy, add(graph, scale(graph, positive, 1 - alpha), scalar(graph, alpha)))]
}

/** y (1 - y) da. Deep Learning (2016), section 3.10. */
const sigmoid: GradientRule = ({ graph, dy, y }) => {
  const slope = multiply(graph, y(), subtract(graph, scalar(graph, 1), y()))
  return [multiply(graph, dy, slope)]
}

/** (1 - y²) da (DLMF 4.34.9). */
const tanh: GradientRule = ({ graph, dy, y }) => [
  multiply(graph, dy, subtract(graph, scalar(graph, 1), multiply(graph, y(), y()))),
]

/** a Φ(a), or its approximation by tanh. Hendrycks and Gimpel, Gaussian Error Linear Units (2016), section 2. */
const gelu: GradientRule = b => [
  multiply(b.graph, b.dy, textOf(b.node, 'approximate', 'none') === 'tanh' ? tanhGeluSlope(b) : geluSlope(b)),
]

/** Φ(a) + a φ(a), with φ the density of the normal distribution and Φ its integral. */
function geluSlope({ graph, x }: Backward): string {
  const half = scalar(graph, 0.5)
  const integral = add(graph, multiply(graph, graph.add('Erf', [scale(graph, x(), Math.SQRT1_2)]), half), half)
  const density = graph.add('Exp', [scale(graph, multiply(graph, x(), x()), -0.5)])
  return add(graph, integral, multiply(graph, x(), scale(graph, density, 1 / Math.sqrt(2 * Math.PI))))
}

/** (1 + t)/2 + a (1 - t²) u'/2 with t = tanh u, u = √(2/π) (a + 0.044715 a³). */
function tanhGeluSlope({ graph, x }: Backward): string {
  const one = scalar(graph, 1)
  const root = Math.sqrt(2 / Math.PI)
  const square = multiply(graph, x(), x())
  const inner = multiply(graph, scale(graph, x(), root), add(graph, scale(graph, square, 0.044715), one))
  const t = graph.add('Tanh', [inner])
  const innerSlope = scale(graph, add(graph, scale(graph, square, 3 * 0.044715), one), root)
  const curve = multiply(graph, subtract(graph, one, multiply(graph, t, t)), innerSlope)
  return scale(graph, add(graph, add(graph, one, t), multiply(graph, x(), curve)), 0.5)
}

/** y (dy - Σ dy y): the Jacobian is diag(y) - y yᵀ. Deep Learning (2016), section 6.2.2.3. */
const softmax: GradientRule = b => {
  const { graph, dy } = b
  const sum = reduce(graph, 'ReduceSum', multiply(graph, dy, b.y()), [axisOf(b)])
  return [multiply(graph, b.y(), subtract(graph, dy, sum))]
}

/** dy - exp(y) Σ dy: the Jacobian is I - 1 yᵀ of the softmax. */
const logSoftmax: GradientRule = b => {
  const { graph, dy } = b
  const sum = reduce(graph, 'ReduceSum', dy, [axisOf(b)])
  return [add(graph, dy, negate(graph, multiply(graph, graph.add('Exp', [b.y()]), sum)))]
}

function axisOf(b: Backward): number {
  const axis = integerOf(b.node, 'axis', -1)
  return axis < 0 ? axis + b.shapeOf(b.y()).length : axis
}

export const activations: Readonly<Record<string, DifferentiableOperator>> = {
  Relu: { gradient: relu },
  LeakyRelu: { gradient: leakyRelu },
  Gelu: { gradient: gelu },
  Sigmoid: { gradient: sigmoid },
  Tanh: { gradient: tanh },
  Softmax: { gradient: softmax },
  LogSoftmax: { gradient: logSoftmax },
}
