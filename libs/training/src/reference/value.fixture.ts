/** Arrays of float64 for a reference that is slow and plain: each element is computed from its coordinates. */
import type { NodeProto } from '@millhand/api/gen/onnx/onnx-ml_pb.ts'

export interface Value {
  readonly shape: readonly number[]
  /** Row by row. Integers are whole numbers of float64. */
  readonly data: Float64Array
}

export type ReferenceOperator = (node: NodeProto, inputs: readonly Value[]) => readonly Value[]

type Coordinates = readonly number[]

/** An array of a shape whose elements are given by their coordinates. */
export function build(shape: readonly number[], at: (coordinates: Coordinates) => number): Value {
  const data = new Float64Array(shape.reduce((product, length) => product * length, 1))
  const coordinates = shape.map(() => 0)
  for (let index = 0; index < data.length; index += 1) {
    data[index] = at(coordinates)
    for (let axis = shape.length - 1; axis >= 0; axis -= 1) {
      const next = (coordinates[axis] as number) + 1
      coordinates[axis] = next === shape[axis] ? 0 : next
      if (next !== shape[axis]) break
    }
  }
  return { shape, data }
}

/** The element at coordinates. */
export function at({ shape, data }: Value, coordinates: Coordinates): number {
  let index = 0
  for (let axis = 0; axis < shape.length; axis += 1)
    index = index * (shape[axis] as number) + (coordinates[axis] as number)
  return data[index] as number
}

/** The element at coordinates of the shape that the value is broadcast to. */
export function broadcastAt(value: Value, coordinates: Coordinates): number {
  const more = coordinates.length - value.shape.length
  return at(
    value,
    value.shape.map((length, axis) => (length === 1 ? 0 : (coordinates[axis + more] as number))),
  )
}

/** NumPy's rules. */
export function broadcastShape(...shapes: readonly (readonly number[])[]): number[] {
  const rank = Math.max(...shapes.map(shape => shape.length))
  return Array.from({ length: rank }, (_, axis) =>
    Math.max(...shapes.map(shape => shape[axis - rank + shape.length] ?? 1)),
  )
}

/** All coordinates of a shape. */
export function* coordinatesOf(shape: readonly number[]): Generator<number[]> {
  if (shape.length === 0) return yield []
  for (let first = 0; first < (shape[0] as number); first += 1) {
    for (const rest of coordinatesOf(shape.slice(1))) yield [first, ...rest]
  }
}

/** One number for each slice over some axes, which stay with length 1. */
export function fold(value: Value, axes: readonly number[], combine: (elements: readonly number[]) => number): Value {
  const kept = value.shape.map((length, axis) => (axes.includes(axis) ? 1 : length))
  const over = value.shape.map((length, axis) => (axes.includes(axis) ? length : 1))
  return build(kept, coordinates => {
    const elements: number[] = []
    for (const inner of coordinatesOf(over))
      elements.push(
        at(
          value,
          coordinates.map((each, axis) => each + (inner[axis] as number)),
        ),
      )
    return combine(elements)
  })
}

export const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)
export const mean = (numbers: readonly number[]): number => sum(numbers) / numbers.length
