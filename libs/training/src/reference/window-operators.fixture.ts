/** Convolution and pooling in float64. */
import type { NodeProto } from '@millhand/api/gen/onnx/onnx-ml_pb.ts'
import { integerOf, integersOf, textOf } from '../attributes.ts'
import { at, build, coordinatesOf, fold, mean, type ReferenceOperator, sum, type Value } from './value.fixture.ts'

interface Window {
  readonly size: readonly number[]
  /** The places in the input of an element of the kernel, for an element of the output; some are in the padding. */
  placeOf(output: readonly number[], element: readonly number[]): number[]
  isInside(place: readonly number[]): boolean
}

function windowOf(node: NodeProto, kernel: readonly number[], spatial: readonly number[]): Window {
  const ones = kernel.map(() => 1)
  const strides = integersOf(node, 'strides') ?? ones
  const dilations = integersOf(node, 'dilations') ?? ones
  const reach = kernel.map((length, axis) => (length - 1) * (dilations[axis] as number) + 1)
  const automatic = textOf(node, 'auto_pad', 'NOTSET')
  const same = spatial.map((length, axis) => {
    const count = Math.ceil(length / (strides[axis] as number))
    return Math.max(0, (count - 1) * (strides[axis] as number) + (reach[axis] as number) - length)
  })
  const half = same.map(pad => (automatic === 'SAME_LOWER' ? Math.ceil(pad / 2) : Math.floor(pad / 2)))
  const given = integersOf(node, 'pads') ?? [...kernel, ...kernel].map(() => 0)
  const pads = automatic.startsWith('SAME')
    ? [...half, ...same.map((pad, axis) => pad - (half[axis] as number))]
    : given
  const round = integerOf(node, 'ceil_mode', 0) === 0 ? Math.floor : Math.ceil
  return {
    size: spatial.map((length, axis) => {
      const padded = length + (pads[axis] as number) + (pads[axis + kernel.length] as number)
      return round((padded - (reach[axis] as number)) / (strides[axis] as number)) + 1
    }),
    placeOf: (output, element) =>
      output.map(
        (each, axis) =>
          each * (strides[axis] as number) +
          (element[axis] as number) * (dilations[axis] as number) -
          (pads[axis] as number),
      ),
    isInside: place => place.every((each, axis) => each >= 0 && each < (spatial[axis] as number)),
  }
}

const convolution: ReferenceOperator = (node, [x, w, bias]) => {
  if (!x || !w) throw new Error('a convolution needs an input and weights')
  const [outputs = 0, perGroup = 0, ...kernel] = w.shape
  const outputsOfGroup = outputs / integerOf(node, 'group', 1)
  const window = windowOf(node, kernel, x.shape.slice(2))
  return [
    build([x.shape[0] as number, outputs, ...window.size], ([example = 0, channel = 0, ...place]) => {
      const first = Math.floor(channel / outputsOfGroup) * perGroup
      let total = bias ? at(bias, [channel]) : 0
      for (const element of coordinatesOf(kernel)) {
        const from = window.placeOf(place, element)
        if (!window.isInside(from)) continue
        for (let each = 0; each < perGroup; each += 1) {
          total += at(x, [example, first + each, ...from]) * at(w, [channel, each, ...element])
        }
      }
      return total
    }),
  ]
}

const pooling =
  (combine: (elements: readonly number[], whole: number) => number): ReferenceOperator =>
  (node, [x]) => {
    const input = x as Value
    const kernel = integersOf(node, 'kernel_shape') ?? []
    const window = windowOf(node, kernel, input.shape.slice(2))
    const whole = kernel.reduce((product, length) => product * length, 1)
    const countPadding = integerOf(node, 'count_include_pad', 0) !== 0
    return [
      build([...input.shape.slice(0, 2), ...window.size], ([example = 0, channel = 0, ...place]) => {
        const places = [...coordinatesOf(kernel)].map(element => window.placeOf(place, element)).filter(window.isInside)
        const elements = places.map(each => at(input, [example, channel, ...each]))
        return combine(elements, countPadding ? whole : elements.length)
      }),
    ]
  }

const overAll =
  (combine: (numbers: readonly number[]) => number): ReferenceOperator =>
  (_, [x]) => {
    const input = x as Value
    return [fold(input, input.shape.map((_unused, axis) => axis).slice(2), combine)]
  }

export const windowOperators: Readonly<Record<string, ReferenceOperator>> = {
  Conv: convolution,
  MaxPool: pooling(elements => Math.max(...elements)),
  AveragePool: pooling((elements, count) => sum(elements) / count),
  GlobalAveragePool: overAll(mean),
  GlobalMaxPool: overAll(numbers => Math.max(...numbers)),
}
