/** The forward side of every operator that is trained, in float64, by the definitions of the ONNX operators. */
import { floatOf, integerOf, integersOf, textOf } from '../attributes.ts'
import {
  at,
  broadcastAt,
  broadcastShape,
  build,
  fold,
  mean,
  type ReferenceOperator,
  sum,
  type Value,
} from './value.fixture.ts'
import { windowOperators } from './window-operators.fixture.ts'

const elementwise =
  (formula: (...numbers: number[]) => number): ReferenceOperator =>
  (_, inputs) => {
    const shape = broadcastShape(...inputs.map(each => each.shape))
    return [build(shape, coordinates => formula(...inputs.map(each => broadcastAt(each, coordinates))))]
  }

/** By its series, and by a continued fraction where that is long (DLMF 7.6.1 and 7.9.1). */
function erf(x: number): number {
  if (x < 0) return -erf(-x)
  if (x > 3) {
    let fraction = 0
    for (let k = 60; k > 0; k -= 1) fraction = k / 2 / (x + fraction)
    return 1 - Math.exp(-x * x) / Math.sqrt(Math.PI) / (x + fraction)
  }
  let term = x
  let total = x
  for (let n = 1; n < 100; n += 1) {
    term *= (-x * x) / n
    total += term / (2 * n + 1)
  }
  return (2 / Math.sqrt(Math.PI)) * total
}

const gelu: ReferenceOperator = (node, inputs) => {
  const root = Math.sqrt(2 / Math.PI)
  const exact = (x: number) => 0.5 * x * (1 + erf(x / Math.SQRT2))
  const approximate = (x: number) => 0.5 * x * (1 + Math.tanh(root * (x + 0.044715 * x ** 3)))
  return elementwise(textOf(node, 'approximate', 'none') === 'tanh' ? approximate : exact)(node, inputs)
}

const positive = (axis: number, rank: number) => (axis < 0 ? axis + rank : axis)

const softmax =
  (finish: (exponent: number, total: number) => number): ReferenceOperator =>
  (node, [x = none]) => {
    const axis = positive(integerOf(node, 'axis', -1), x.shape.length)
    const largest = fold(x, [axis], numbers => Math.max(...numbers))
    const total = fold(x, [axis], numbers => {
      const most = Math.max(...numbers)
      return sum(numbers.map(each => Math.exp(each - most)))
    })
    return [build(x.shape, c => finish(at(x, c) - broadcastAt(largest, c), broadcastAt(total, c)))]
  }

const none: Value = { shape: [], data: new Float64Array(1) }
const numbersOf = (value: Value | undefined) => value && [...value.data]

const reduction =
  (combine: (numbers: readonly number[]) => number): ReferenceOperator =>
  (node, [x = none, axesInput]) => {
    const given = integersOf(node, 'axes') ?? numbersOf(axesInput) ?? x.shape.map((_, axis) => axis)
    const axes = given.map(axis => positive(axis, x.shape.length))
    const kept = fold(x, axes, combine)
    if (integerOf(node, 'keepdims', 1) !== 0) return [kept]
    return [{ shape: x.shape.filter((_, axis) => !axes.includes(axis)), data: kept.data }]
  }

const matmul = (a: Value, b: Value): Value => {
  const left = a.shape.length === 1 ? { ...a, shape: [1, ...a.shape] } : a
  const right = b.shape.length === 1 ? { ...b, shape: [...b.shape, 1] } : b
  const batch = broadcastShape(left.shape.slice(0, -2), right.shape.slice(0, -2))
  const inner = left.shape.at(-1) as number
  const shape = [...batch, left.shape.at(-2) as number, right.shape.at(-1) as number]
  const { data } = build(shape, c => {
    const [row, column] = c.slice(-2) as [number, number]
    const outer = c.slice(0, -2)
    const term = (k: number) => broadcastAt(left, [...outer, row, k]) * broadcastAt(right, [...outer, k, column])
    return sum(Array.from({ length: inner }, (_, k) => term(k)))
  })
  const vectors = [
    ...(a.shape.length === 1 ? [shape.length - 2] : []),
    ...(b.shape.length === 1 ? [shape.length - 1] : []),
  ]
  return { shape: shape.filter((_, axis) => !vectors.includes(axis)), data }
}

const transpose = (x: Value, permutation: readonly number[]): Value =>
  build(
    permutation.map(axis => x.shape[axis] as number),
    c =>
      at(
        x,
        x.shape.map((_, axis) => c[permutation.indexOf(axis)] as number),
      ),
  )

const gemm: ReferenceOperator = (node, [a = none, b = none, c]) => {
  const left = integerOf(node, 'transA', 0) !== 0 ? transpose(a, [1, 0]) : a
  const right = integerOf(node, 'transB', 0) !== 0 ? transpose(b, [1, 0]) : b
  const product = matmul(left, right)
  const [alpha, beta] = [floatOf(node, 'alpha', 1), floatOf(node, 'beta', 1)]
  return [build(product.shape, at2 => alpha * at(product, at2) + (c ? beta * broadcastAt(c, at2) : 0))]
}

const layerNormalization: ReferenceOperator = (node, [x = none, factor = none, bias]) => {
  const first = positive(integerOf(node, 'axis', -1), x.shape.length)
  const axes = x.shape.map((_, axis) => axis).slice(first)
  return [
    normalized(x, axes, floatOf(node, 'epsilon', 1e-5), c => [broadcastAt(factor, c), bias ? broadcastAt(bias, c) : 0]),
  ]
}

/** By the statistics of the batch, as in training. */
const batchNormalization: ReferenceOperator = (node, [x = none, factor = none, bias = none]) => {
  const axes = x.shape.map((_, axis) => axis).filter(axis => axis !== 1)
  return [
    normalized(x, axes, floatOf(node, 'epsilon', 1e-5), c => [
      at(factor, [c[1] as number]),
      at(bias, [c[1] as number]),
    ]),
  ]
}

function normalized(
  x: Value,
  axes: readonly number[],
  epsilon: number,
  line: (coordinates: readonly number[]) => [number, number],
): Value {
  const centre = fold(x, axes, mean)
  const variance = fold(x, axes, numbers => mean(numbers.map(each => (each - mean(numbers)) ** 2)))
  return build(x.shape, c => {
    const [factor, bias] = line(c)
    return ((at(x, c) - broadcastAt(centre, c)) / Math.sqrt(broadcastAt(variance, c) + epsilon)) * factor + bias
  })
}

const unitLength: ReferenceOperator = (node, [x = none]) => {
  const axis = positive(integerOf(node, 'axis', -1), x.shape.length)
  const p = integerOf(node, 'p', 2)
  const norm = fold(x, [axis], numbers => sum(numbers.map(each => Math.abs(each) ** p)) ** (1 / p))
  return [build(x.shape, c => at(x, c) / broadcastAt(norm, c))]
}

const reshape: ReferenceOperator = (_, [x = none, wanted = none]) => {
  const given = [...wanted.data].map((length, axis) => (length === 0 ? (x.shape[axis] as number) : length))
  const known = given.filter(length => length >= 0).reduce((product, length) => product * length, 1)
  return [{ shape: given.map(length => (length < 0 ? x.data.length / known : length)), data: x.data }]
}

const flatten: ReferenceOperator = (node, [x = none]) => {
  const axis = positive(integerOf(node, 'axis', 1), x.shape.length)
  const count = (shape: readonly number[]) => shape.reduce((product, length) => product * length, 1)
  return [{ shape: [count(x.shape.slice(0, axis)), count(x.shape.slice(axis))], data: x.data }]
}

const squeeze: ReferenceOperator = (_, [x = none, axes]) => {
  const gone = axes && [...axes.data].map(axis => positive(axis, x.shape.length))
  return [{ shape: x.shape.filter((length, axis) => (gone ? !gone.includes(axis) : length !== 1)), data: x.data }]
}

const unsqueeze: ReferenceOperator = (_, [x = none, axes = none]) => {
  const rank = x.shape.length + axes.data.length
  const added = [...axes.data].map(axis => positive(axis, rank))
  const rest = [...x.shape]
  return [
    {
      shape: Array.from({ length: rank }, (_unused, axis) => (added.includes(axis) ? 1 : (rest.shift() as number))),
      data: x.data,
    },
  ]
}

const concatenation: ReferenceOperator = (node, inputs) => {
  const first = inputs[0] as Value
  const axis = positive(integerOf(node, 'axis', 0), first.shape.length)
  const lengths = inputs.map(({ shape }) => shape[axis] as number)
  return [
    build(first.shape.with(axis, sum(lengths)), c => {
      let place = c[axis] as number
      let from = 0
      while (place >= (lengths[from] as number)) place -= lengths[from++] as number
      return at(inputs[from] as Value, c.with(axis, place))
    }),
  ]
}

const split: ReferenceOperator = (node, [x = none, sizes]) => {
  const axis = positive(integerOf(node, 'axis', 0), x.shape.length)
  const even = (x.shape[axis] as number) / node.output.length
  const lengths = numbersOf(sizes) ?? node.output.map(() => even)
  let start = 0
  return lengths.map(length => {
    const from = start
    start += length
    return build(x.shape.with(axis, length), c => at(x, c.with(axis, (c[axis] as number) + from)))
  })
}

/** Ends are given within the axis, or as -1 from its end. */
const slice: ReferenceOperator = (_, [x = none, starts = none, ends = none, axes, steps]) => {
  const chosen = numbersOf(axes) ?? [...starts.data].map((_unused, axis) => axis)
  const ranges = x.shape.map((length, axis) => {
    const which = chosen.findIndex(each => positive(each, x.shape.length) === axis)
    if (which < 0) return { start: 0, step: 1, count: length }
    const step = steps?.data[which] ?? 1
    const start = positive(starts.data[which] as number, length)
    const end = Math.min(positive(ends.data[which] as number, length), length)
    return { start, step, count: Math.ceil((end - start) / step) }
  })
  return [
    build(
      ranges.map(({ count }) => count),
      c =>
        at(
          x,
          c.map((each, axis) => (ranges[axis]?.start ?? 0) + each * (ranges[axis]?.step ?? 1)),
        ),
    ),
  ]
}

const gather: ReferenceOperator = (node, [x = none, indices = none]) => {
  const axis = positive(integerOf(node, 'axis', 0), x.shape.length)
  const shape = [...x.shape.slice(0, axis), ...indices.shape, ...x.shape.slice(axis + 1)]
  return [
    build(shape, c => {
      const index = positive(at(indices, c.slice(axis, axis + indices.shape.length)), x.shape[axis] as number)
      return at(x, [...c.slice(0, axis), index, ...c.slice(axis + indices.shape.length)])
    }),
  ]
}

const identity: ReferenceOperator = (_, [x = none]) => [x]

export const referenceOperators: Readonly<Record<string, ReferenceOperator>> = {
  Add: elementwise((a, b) => (a as number) + (b as number)),
  Sub: elementwise((a, b) => (a as number) - (b as number)),
  Mul: elementwise((a, b) => (a as number) * (b as number)),
  Div: elementwise((a, b) => (a as number) / (b as number)),
  Pow: elementwise((a, b) => (a as number) ** (b as number)),
  Greater: elementwise((a, b) => Number((a as number) > (b as number))),
  Where: elementwise((chosen, a, b) => (chosen ? (a as number) : (b as number))),
  Neg: elementwise(a => -(a as number)),
  Sqrt: elementwise(a => Math.sqrt(a as number)),
  Sin: elementwise(a => Math.sin(a as number)),
  Exp: elementwise(a => Math.exp(a as number)),
  Log: elementwise(a => Math.log(a as number)),
  Erf: elementwise(a => erf(a as number)),
  Relu: elementwise(a => Math.max(a as number, 0)),
  Sigmoid: elementwise(a => 1 / (1 + Math.exp(-(a as number)))),
  Tanh: elementwise(a => Math.tanh(a as number)),
  LeakyRelu: (node, inputs) =>
    elementwise(a => ((a as number) > 0 ? (a as number) : floatOf(node, 'alpha', 0.01) * (a as number)))(node, inputs),
  Gelu: gelu,
  Softmax: softmax((exponent, total) => Math.exp(exponent) / total),
  LogSoftmax: softmax((exponent, total) => exponent - Math.log(total)),
  MatMul: (_, [a = none, b = none]) => [matmul(a, b)],
  Gemm: gemm,
  ReduceSum: reduction(sum),
  ReduceMean: reduction(mean),
  ReduceMax: reduction(numbers => Math.max(...numbers)),
  LayerNormalization: layerNormalization,
  BatchNormalization: batchNormalization,
  LpNormalization: unitLength,
  Identity: identity,
  Cast: identity,
  Reshape: reshape,
  Flatten: flatten,
  Squeeze: squeeze,
  Unsqueeze: unsqueeze,
  Transpose: (node, [x = none]) => [
    transpose(x, integersOf(node, 'perm') ?? x.shape.map((_, axis) => axis).toReversed()),
  ],
  Expand: (_, [x = none, shape = none]) => [build(broadcastShape(x.shape, [...shape.data]), c => broadcastAt(x, c))],
  Concat: concatenation,
  Split: split,
  Slice: slice,
  Gather: gather,
  Shape: (_, [x = none]) => [{ shape: [x.shape.length], data: Float64Array.from(x.shape) }],
  ...windowOperators,
}
