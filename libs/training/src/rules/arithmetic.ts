/**
 * Arithmetic of two values and functions of one. The formulas are the derivatives of the elementary functions, as in
 * Griewank and Walther, Evaluating Derivatives (2nd edition, 2008), table 2.1 and section 3.2 (reverse mode).
 */
import type { Backward, DifferentiableOperator, GradientRule } from '../gradient-rule.ts'
import { divide, multiply, negate, scalar, scale, subtract, sumTo, toFloat } from '../operations.ts'
import { elementCount } from '../tensor-proto.ts'

/** d(a + b) = da + db */
const addition: GradientRule = b => [unbroadcast(b, 0, () => b.dy), unbroadcast(b, 1, () => b.dy)]

/** d(a - b) = da - db */
const subtraction: GradientRule = b => [unbroadcast(b, 0, () => b.dy), unbroadcast(b, 1, () => negate(b.graph, b.dy))]

/** d(a b) = b da + a db */
const multiplication: GradientRule = b => [
  unbroadcast(b, 0, () => multiply(b.graph, b.dy, b.x(1))),
  unbroadcast(b, 1, () => multiply(b.graph, b.dy, b.x(0))),
]

/** d(a / b) = da / b - y db / b */
const division: GradientRule = b => [
  unbroadcast(b, 0, () => divide(b.graph, b.dy, b.x(1))),
  unbroadcast(b, 1, () => negate(b.graph, divide(b.graph, multiply(b.graph, b.dy, b.y()), b.x(1)))),
]

/** d(a^b) = b a^(b - 1) da + y log(a) db; a base of 0 or less has no gradient for its exponent. */
const power: GradientRule = b => {
  const { graph, dy } = b
  const constant = b.constantOf(b.x(1))
  const exponent = constant && elementCount(constant.shape) === 1 ? Number(constant.data[0]) : undefined
  // a^-1 is infinite where a is 0, and times 0 no number: the derivative of a^0 is 0 everywhere.
  const slope = () => {
    if (exponent === 1) return undefined
    if (exponent === 2) return scale(graph, b.x(0), 2)
    if (exponent !== undefined) return scale(graph, graph.add('Pow', [b.x(0), scalar(graph, exponent - 1)]), exponent)
    const variable = toFloat(graph, b.x(1))
    const isZero = graph.add('Equal', [variable, scalar(graph, 0)])
    const less = graph.add('Where', [isZero, variable, subtract(graph, variable, scalar(graph, 1))])
    return multiply(graph, variable, graph.add('Pow', [b.x(0), less]))
  }
  const logarithm = () => {
    const positive = graph.add('Greater', [b.x(0), scalar(graph, 0)])
    return graph.add('Log', [graph.add('Where', [positive, b.x(0), scalar(graph, 1)])])
  }
  const timesSlope = (factor: string | undefined) => (factor === undefined ? dy : multiply(graph, dy, factor))
  return [
    exponent === 0 ? undefined : unbroadcast(b, 0, () => timesSlope(slope())),
    unbroadcast(b, 1, () => multiply(graph, dy, multiply(graph, b.y(), logarithm()))),
  ]
}

/** d(-a) = -da */
const negation: GradientRule = b => [negate(b.graph, b.dy)]

/** d√a = da / 2y */
const squareRoot: GradientRule = b => [divide(b.graph, scale(b.graph, b.dy, 0.5), b.y())]

/** d exp a = y da */
const exponential: GradientRule = b => [multiply(b.graph, b.dy, b.y())]

/** d log a = da / a */
const logarithm: GradientRule = b => [divide(b.graph, b.dy, b.x())]

/** d erf a = 2/√π exp(-a²) da (DLMF 7.2.1) */
const errorFunction: GradientRule = ({ graph, dy, x }) => {
  const density = graph.add('Exp', [negate(graph, multiply(graph, x(), x()))])
  return [multiply(graph, dy, scale(graph, density, 2 / Math.sqrt(Math.PI)))]
}

/** Each gradient goes to the side that was chosen. */
const choice: GradientRule = b => {
  const { graph, dy } = b
  const chosen = toFloat(graph, b.x(0))
  const first = () => multiply(graph, dy, chosen)
  return [
    undefined,
    unbroadcast(b, 1, first),
    unbroadcast(b, 2, () => multiply(graph, dy, subtract(graph, scalar(graph, 1), chosen))),
  ]
}

/** The gradient for an input that may have been broadcast to the shape of the output. */
const unbroadcast = (b: Backward, input: number, gradient: () => string): string | undefined =>
  b.wants(input) ? sumTo(b.graph, gradient(), b.shapeOf(b.y()), b.shapeOf(b.x(input))) : undefined

export const arithmetic: Readonly<Record<string, DifferentiableOperator>> = {
  Add: { gradient: addition },
  Sub: { gradient: subtraction },
  Mul: { gradient: multiplication },
  Div: { gradient: division },
  Pow: { gradient: power },
  Neg: { gradient: negation },
  Sqrt: { gradient: squareRoot },
  Exp: { gradient: exponential },
  Log: { gradient: logarithm },
  Erf: { gradient: errorFunction },
  Where: { gradient: choice },
}
