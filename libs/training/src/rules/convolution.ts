/**
 * Convolution. The input's gradient is the transposed convolution of dy with the weights; that of the weights is the
 * correlation of the input with dy, where strides and dilations change places. Dumoulin and Visin, A guide to
 * convolution arithmetic for deep learning (2016), chapter 4; Goodfellow and others, Deep Learning (2016), section 9.5.
 */
import { integerOf, integersOf } from '../attributes.ts'
import type { Backward, DifferentiableOperator, GradientRule } from '../gradient-rule.ts'
import { integers, reduce, reshape, transpose } from '../operations.ts'
import { spread, type Windows, windowsOf } from './windows.ts'

const convolution: GradientRule = b => {
  const { graph, node, dy } = b
  const input = b.shapeOf(b.x(0))
  const weights = b.shapeOf(b.x(1))
  const output = b.shapeOf(b.y())
  const group = integerOf(node, 'group', 1)
  const windows = windowsOf(node, integersOf(node, 'kernel_shape') ?? weights.slice(2), input, output)
  const axes = output.map((_, axis) => axis).filter(axis => axis !== 1)
  const bias = () => reshape(graph, reduce(graph, 'ReduceSum', dy, axes), [output[1] as number])
  return [
    b.wants(0) ? spread(graph, { gradient: dy, weights: b.x(1), windows, group }, input, output) : undefined,
    b.wants(1) ? weightGradient(b, windows, group) : undefined,
    b.wants(2) ? bias() : undefined,
  ]
}

/**
 * As one convolution: the input's channels of a group are its batch, the examples its channels, and dy its weights. With
 * several groups, the channels of that convolution are (group, example), and so it has as many groups.
 */
function weightGradient(b: Backward, windows: Windows, group: number): string {
  const { graph } = b
  const [examples = 1, , ...size] = b.shapeOf(b.x(0))
  const [outputs = 1, channelsOfGroup = 1, ...kernel] = b.shapeOf(b.x(1))
  const [, , ...steps] = b.shapeOf(b.y())
  const spatial = size.map((_, axis) => axis)
  const byGroup = () => {
    const grouped = reshape(graph, b.x(0), [examples, group, channelsOfGroup, ...size])
    const swapped = transpose(graph, grouped, [2, 1, 0, ...spatial.map(axis => axis + 3)])
    return reshape(graph, swapped, [channelsOfGroup, group * examples, ...size])
  }
  const input = group === 1 ? swapFirst(b, b.x(0), size.length) : byGroup()
  const weights = swapFirst(b, b.dy, steps.length)
  const correlation = graph.add('Conv', [input, weights], {
    kernel_shape: steps.map(BigInt),
    strides: windows.dilations.map(BigInt),
    dilations: windows.strides.map(BigInt),
    pads: [...windows.before, ...windows.after].map(BigInt),
    group: BigInt(group),
  })
  // What the windows stepped over at the end of an axis makes the result longer than the kernel.
  const ends = integers(graph, kernel)
  const cut = graph.add('Slice', [
    correlation,
    integers(
      graph,
      kernel.map(() => 0),
    ),
    ends,
    integers(
      graph,
      spatial.map(axis => axis + 2),
    ),
  ])
  return reshape(graph, swapFirst(b, cut, kernel.length), [outputs, channelsOfGroup, ...kernel])
}

const swapFirst = (b: Backward, value: string, spatial: number) =>
  transpose(b.graph, value, [1, 0, ...Array.from({ length: spatial }, (_, axis) => axis + 2)])

export const convolutions: Readonly<Record<string, DifferentiableOperator>> = { Conv: { gradient: convolution } }
