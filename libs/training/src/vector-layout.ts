/**
 * Several tensors as one vector. A step of training then has a handful of inputs and outputs however many weights the
 * model has, and one optimizer step updates all of them.
 */
import type { GraphWriter } from './graph-writer.ts'
import { integers, reshape, type Shape, zeros } from './operations.ts'
import { elementCount } from './tensor-proto.ts'

export interface VectorLayout {
  /** In elements. */
  readonly length: number
  readonly tensors: readonly PlacedTensor[]
}

interface PlacedTensor {
  readonly name: string
  readonly shape: Shape
  /** The place of its first element. */
  readonly offset: number
}

export function layoutOf(names: readonly string[], shapeOf: (name: string) => Shape): VectorLayout {
  let length = 0
  const tensors = names.map(name => {
    const placed = { name, shape: shapeOf(name), offset: length }
    length += elementCount(placed.shape)
    return placed
  })
  return { length, tensors }
}

/** Makes one vector; zeros stand for a tensor that has no value. */
export function pack(
  graph: GraphWriter,
  { tensors }: VectorLayout,
  valueNamed: (name: string) => string | undefined,
): string {
  const parts = tensors.map(({ name, shape }) => {
    const value = valueNamed(name)
    const count = elementCount(shape)
    return value === undefined ? zeros(graph, [count]) : reshape(graph, value, [count])
  })
  return parts.length === 1 ? (parts[0] as string) : graph.add('Concat', parts, { axis: 0n })
}

/** Adds, before all other nodes, those that take the tensors out of the vector, under their own names. */
export function unpack(graph: GraphWriter, vector: string, { tensors }: VectorLayout): void {
  const { node } = graph.graph
  const before = node.length
  const lengths = tensors.map(({ shape }) => elementCount(shape))
  const parts =
    lengths.length === 1
      ? [vector]
      : graph.addMany('Split', [vector, integers(graph, lengths)], lengths.length, { axis: 0n })
  tensors.forEach(({ name, shape }, at) => {
    graph.add('Reshape', [parts[at] as string, integers(graph, shape)], {}, name)
  })
  node.unshift(...node.splice(before))
}
