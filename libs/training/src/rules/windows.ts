/** The windows of convolutions and poolings: how far they reach and step along each spatial axis. */
import type { NodeProto } from '@millhand/api/gen/onnx/onnx-ml_pb.ts'
import { integersOf, textOf } from '../attributes.ts'
import type { GraphWriter } from '../graph-writer.ts'
import type { Shape } from '../operations.ts'

export interface Windows {
  readonly kernel: readonly number[]
  readonly strides: readonly number[]
  readonly dilations: readonly number[]
  /** Before the first element of each axis. */
  readonly before: readonly number[]
  /** After the last. */
  readonly after: readonly number[]
}

/** `kernel` is what the node says, or the shape of its weights. Shapes are with batch and channels. */
export function windowsOf(node: NodeProto, kernel: readonly number[], input: Shape, output: Shape): Windows {
  const ones = kernel.map(() => 1)
  const strides = integersOf(node, 'strides') ?? ones
  const dilations = integersOf(node, 'dilations') ?? ones
  const automatic = textOf(node, 'auto_pad', 'NOTSET')
  const pads = integersOf(node, 'pads') ?? [...kernel, ...kernel].map(() => 0)
  if (automatic === 'NOTSET' || automatic === 'VALID') {
    const given = automatic === 'VALID' ? pads.map(() => 0) : pads
    const before = given.slice(0, kernel.length)
    return { kernel, strides, dilations, before, after: given.slice(kernel.length) }
  }
  const total = kernel.map((length, axis) => {
    const reach = ((output[axis + 2] as number) - 1) * (strides[axis] as number)
    return Math.max(0, reach + (length - 1) * (dilations[axis] as number) + 1 - (input[axis + 2] as number))
  })
  const smaller = total.map(pad => Math.floor(pad / 2))
  const larger = total.map(pad => Math.ceil(pad / 2))
  const upper = automatic === 'SAME_UPPER'
  return { kernel, strides, dilations, before: upper ? smaller : larger, after: upper ? larger : smaller }
}

/**
 * The transposed convolution, of `input`'s shape: each gradient is spread over the window it came from. Dumoulin and
 * Visin, A guide to convolution arithmetic for deep learning (2016), chapter 4.
 */
export function spread(
  graph: GraphWriter,
  { gradient, weights, windows, group }: { gradient: string; weights: string; windows: Windows; group: number },
  input: Shape,
  output: Shape,
): string {
  const { kernel, strides, dilations, before, after } = windows
  // Elements behind the last window have no gradient; where a window reaches beyond the padding, that part is cut off.
  const rest = kernel.map((length, axis) => {
    const reach = ((output[axis + 2] as number) - 1) * (strides[axis] as number)
    const full = reach + (length - 1) * (dilations[axis] as number) + 1
    return (input[axis + 2] as number) + (before[axis] as number) + (after[axis] as number) - full
  })
  const cut = after.map((pad, axis) => pad + Math.max(0, -(rest[axis] as number)))
  return graph.add('ConvTranspose', [gradient, weights], {
    kernel_shape: kernel.map(BigInt),
    strides: strides.map(BigInt),
    dilations: dilations.map(BigInt),
    pads: [...before, ...cut].map(BigInt),
    output_padding: rest.map(length => BigInt(Math.max(0, length))),
    group: BigInt(group),
  })
}
