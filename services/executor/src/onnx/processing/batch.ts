/** Items joined on the first axis of their tensors, and their results taken apart again. */
import { type ElementArray, type Elements, elements, type NamedTensors, type Tensor } from '@millhand/model'

/** Items grouped so that each group's tensors differ in nothing but the first axis, in order of first appearance. */
export function batches<T extends NamedTensors>(items: readonly T[]): T[][] {
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
export function joinRows(group: readonly NamedTensors[]): Map<string, Tensor> {
  const joined = new Map<string, Tensor>()
  const rows = group.reduce((sum, item) => sum + (rowsOf(item) as number), 0)
  for (const [name, { dtype, shape }] of (group[0] as NamedTensors).tensors) {
    const parts = group.map(({ tensors }) => (tensors.get(name) as Tensor).data)
    joined.set(name, { dtype, shape: [rows, ...shape.slice(1)], data: concat(dtype, parts) })
  }
  return joined
}

/** The outputs of each item of the group. Throws when the outputs have not as many rows as the inputs. */
export function splitRows(outputs: ReadonlyMap<string, Tensor>, group: readonly NamedTensors[]): Map<string, Tensor>[] {
  const rows = group.map(item => rowsOf(item) as number)
  const total = rows.reduce((sum, count) => sum + count, 0)
  for (const [name, { shape }] of outputs) {
    if (shape[0] !== total) throw new Error(`output ${name} has ${shape[0] ?? 'no'} rows for ${total} of input`)
  }
  let from = 0
  return rows.map(count => {
    const start = from
    from += count
    return new Map([...outputs].map(([name, tensor]) => [name, slice(tensor, start, count, total)]))
  })
}

function rowsOf({ tensors }: NamedTensors): number | undefined {
  let rows: number | undefined
  for (const { shape } of tensors.values()) {
    if (shape[0] === undefined || (rows !== undefined && shape[0] !== rows)) return undefined
    rows = shape[0]
  }
  return rows
}

function shapesOf({ tensors }: NamedTensors): string {
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

function slice({ dtype, shape, data }: Tensor, start: number, count: number, total: number): Tensor {
  const size = data.length / total
  const [from, to] = [start * size, (start + count) * size]
  const part = Array.isArray(data) ? data.slice(from, to) : (data as ElementArray).subarray(from, to)
  return { dtype, shape: [count, ...shape.slice(1)], data: part }
}
