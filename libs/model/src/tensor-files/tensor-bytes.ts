/** Room for tensors that are read from a file, within what a file may have. */
import { type Dtype, type ElementArray, type Elements, elements, numeric } from '../dtype.ts'
import { excerpt } from '../excerpt.ts'
import { MOST_NAME, MOST_RANK } from '../tensor-limits.ts'
import { elementCount, InputInvalid, type Tensor } from '../tensors.ts'
import { MOST_ELEMENT_BYTES, MOST_STRINGS, MOST_TENSORS } from './format.ts'

/** The tensors of one file, as they are read. Its methods throw `InputInvalid`. */
export class TensorsRead {
  readonly tensors = new Map<string, Tensor>()
  readonly #names = new Set<string>()
  #bytes = 0
  #strings = 0

  /** Checks a tensor before there is room for it; how many elements it has. `bytes`: what all of them take in the file. */
  admit(name: string, dtype: Dtype, shape: readonly unknown[], bytes: number): number {
    const where = shownTensor(name)
    if (name.length > MOST_NAME) throw new InputInvalid(`${where} has a name of more than ${MOST_NAME} characters`)
    if (this.#names.has(name)) throw new InputInvalid(`the file has two tensors named \`${excerpt(name)}\``)
    this.#names.add(name)
    if (this.#names.size > MOST_TENSORS) throw new InputInvalid(`the file has more than ${MOST_TENSORS} tensors`)
    if (shape.length > MOST_RANK) throw new InputInvalid(`${where} has more than ${MOST_RANK} dimensions`)
    const count = elementCount(shape)
    if (count === undefined) {
      throw new InputInvalid(`${where}: shape must be whole numbers of 0 or more, and their product below 2^53`)
    }
    this.#bytes += bytes
    if (this.#bytes > MOST_ELEMENT_BYTES) {
      throw new InputInvalid(`the tensors of the file have more than ${MOST_ELEMENT_BYTES} bytes`)
    }
    if (dtype !== 'string') return count
    this.#strings += count
    if (this.#strings > MOST_STRINGS) throw new InputInvalid(`the file has more than ${MOST_STRINGS} strings`)
    return count
  }

  add(name: string, tensor: Tensor): void {
    if (tensor.dtype === 'bool' && (tensor.data as Uint8Array).some(element => element > 1)) {
      throw new InputInvalid(`${shownTensor(name)}: bool bytes must be 0 or 1`)
    }
    this.tensors.set(name, tensor)
  }
}

export const shownTensor = (name: string): string => `tensor \`${excerpt(name)}\``

/** Bytes of one element; undefined for strings. */
export const bytesOf = (dtype: Dtype): number | undefined => numeric(dtype)?.bytes

/** The bytes of elements, not a copy. */
export const viewOf = (data: ElementArray): Uint8Array => new Uint8Array(data.buffer, data.byteOffset, data.byteLength)

export const emptyElements = (dtype: Exclude<Dtype, 'string'>, count: number): ElementArray =>
  elements(dtype, count) as ElementArray

/** Little-endian to big-endian, or back, in place. */
export function swapBytes(bytes: Uint8Array, size: number): void {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (size === 2) buffer.swap16()
  else if (size === 4) buffer.swap32()
  else if (size === 8) buffer.swap64()
}

/** Elements column by column as the same row by row. */
export function toRowOrder(dtype: Dtype, shape: readonly number[], data: Elements): Elements {
  if (shape.length < 2 || data.length === 0) return data
  const strides: number[] = []
  for (let axis = 0, stride = 1; axis < shape.length; stride *= shape[axis++] as number) strides.push(stride)
  const into = elements(dtype, data.length)
  const index = shape.map(() => 0)
  for (let to = 0, from = 0; to < data.length; to++) {
    ;(into as unknown[])[to] = data[from]
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      const length = shape[axis] as number
      const stride = strides[axis] as number
      const next = (index[axis] as number) + 1
      index[axis] = next % length
      from += stride
      if (next < length) break
      from -= length * stride
    }
  }
  return into
}
