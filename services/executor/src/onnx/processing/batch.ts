/** Items joined on the first axis of their tensors, and their results taken apart again. */
import { type ElementArray, type Elements, elements, type Tensor } from '@millhand/model'

interface HasTensors {
  readonly tensors: ReadonlyMap<string, Tensor>
}

/** Items grouped so that each group's tensors differ in nothing but the first axis, in order of first appearance. */
export function batches<T extends HasTensors>(items: readonly T[]): T[][] {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const rows = rowsOf(item)
    // Tensors without a common first axis cannot be joined: such an item is a group of its own.
    const key = rows === undefined ? `alone ${groups.size}` : shapesOf(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return [...groups.values()]
}

/** The tensors of one group, joined. */
export function joinRows(group: readonly HasTensors[]): Map<string, Tensor> {
  const joined = new Map<string, Tensor>()
  const rows = group.reduce((sum, item) => sum + (rowsOf(item) as number), 0)
  for (const [name, { dtype, shape }] of (group[0] as HasTensors).tensors) {
    const parts = group.map(({ tensors }) => (tensors.get(name) as Tensor).data)
    joined.set(name, { dtype, shape: [rows, ...shape.slice(1)], data: concat(dtype, parts) })
  }
  return joined
}

/** The outputs of each item, by how many rows each has. Throws when the outputs have not as many rows as the inputs. */
export function splitRows(
  outputs: ReadonlyMap<string, Tensor>,
  rows: readonly (number | undefined)[],
): ReadonlyMap<string, Tensor>[] {
  const parts = [...outputs].map(([name, tensor]) => [name, splitTensor(tensor, rows)] as const)
  return rows.map((_, item) => new Map(parts.map(([name, tensors]) => [name, tensors[item] as Tensor])))
}

/** One tensor's rows of each item. Throws likewise. */
export function splitTensor(tensor: Tensor, rows: readonly (number | undefined)[]): Tensor[] {
  if (rows.length === 1) return [tensor]
  const { dtype, shape, data } = tensor
  const [length, ...rest] = shape
  const total = rows.reduce<number>((sum, count) => sum + (count as number), 0)
  if (length !== total) throw new Error(`an output has ${length ?? 'no'} rows for ${total} of input`)
  const size = data.length / total
  let from = 0
  return rows.map(count => {
    const to = from + (count as number) * size
    const part = partOf(data, from, to)
    from = to
    return { dtype, shape: [count as number, ...rest], data: part }
  })
}

/** Elements from one to another, which is not among them. */
export const partOf = (data: Elements, from: number, to: number): Elements =>
  Array.isArray(data) ? data.slice(from, to) : (data as ElementArray).subarray(from, to)

/** How many rows each tensor of an item has; undefined where they have no first axis in common. */
export function rowsOf({ tensors }: HasTensors): number | undefined {
  let rows: number | undefined
  for (const { shape } of tensors.values()) {
    if (shape[0] === undefined || (rows !== undefined && shape[0] !== rows)) return undefined
    rows = shape[0]
  }
  return rows
}

function shapesOf({ tensors }: HasTensors): string {
  let key = ''
  for (const [name, { dtype, shape }] of [...tensors].sort(([a], [b]) => (a < b ? -1 : 1))) {
    key += `${JSON.stringify(name)}${dtype}${shape.slice(1)};`
  }
  return key
}

function concat(dtype: Tensor['dtype'], parts: readonly Elements[]): Elements {
  if (dtype === 'string') return parts.flat() as string[]
  const whole = elements(
    dtype,
    parts.reduce((sum, part) => sum + part.length, 0),
  ) as Float32Array
  let at = 0
  for (const part of parts) {
    whole.set(part as Float32Array, at)
    at += part.length
  }
  return whole
}
