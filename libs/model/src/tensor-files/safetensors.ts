/** Named tensors in safetensors: a length, a JSON header, the bytes. https://github.com/huggingface/safetensors#format */
import type { Dtype } from '../dtype.ts'
import { excerpt } from '../excerpt.ts'
import { isObject } from '../is-object.ts'
import { elementCount, InputInvalid, type Tensor } from '../tensors.ts'
import { type ByteSource, bytesAt } from './byte-source.ts'
import { bytesOf, emptyElements, shownTensor, TensorsRead, viewOf } from './tensor-bytes.ts'

const LENGTH_BYTES = 8
/** That of a thousand tensors with the longest names is shorter. */
const MOST_HEADER = 2 ** 20

const DTYPE: Readonly<Record<string, Exclude<Dtype, 'string'>>> = {
  F64: 'float64',
  F32: 'float32',
  F16: 'float16',
  I64: 'int64',
  I32: 'int32',
  I16: 'int16',
  I8: 'int8',
  U64: 'uint64',
  U32: 'uint32',
  U16: 'uint16',
  U8: 'uint8',
  BOOL: 'bool',
}
const CODE = new Map(Object.entries(DTYPE).map(([code, dtype]) => [dtype, code]))

export interface SafeTensor {
  readonly name: string
  readonly dtype: Exclude<Dtype, 'string'>
  readonly shape: readonly number[]
  /** Where its bytes begin in the file. */
  readonly start: number
}

/** Rejects with `InputInvalid`. In memory are the header and the tensors. */
export async function readSafetensors(source: ByteSource): Promise<ReadonlyMap<string, Tensor>> {
  const length = headerLength(await bytesAt(source, 0, Math.min(LENGTH_BYTES, source.size)), source.size)
  const header = await bytesAt(source, LENGTH_BYTES, length)
  const read = new TensorsRead()
  for (const { name, dtype, shape, start } of tensorsOf(header, source.size, read)) {
    const data = emptyElements(dtype, elementCount(shape) as number)
    await source.fill(viewOf(data), start)
    read.add(name, { dtype, shape, data })
  }
  return read.tensors
}

/** What the beginning of a file of `size` bytes tells; undefined where the header is longer. Throws `InputInvalid`. */
export function safetensorsIn(head: Buffer, size: number): readonly SafeTensor[] | undefined {
  const length = headerLength(head, size)
  if (LENGTH_BYTES + length > head.length) return undefined
  return tensorsOf(head.subarray(LENGTH_BYTES, LENGTH_BYTES + length), size, new TensorsRead())
}

function headerLength(head: Buffer, size: number): number {
  if (head.length < LENGTH_BYTES) throw broken('it is cut off')
  const length = head.readBigUInt64LE(0)
  if (length > BigInt(MOST_HEADER)) throw broken(`its header has more than ${MOST_HEADER} bytes`)
  if (LENGTH_BYTES + Number(length) > size) throw broken('its header is cut off')
  return Number(length)
}

/** In the order of their bytes, of which every one is some tensor's. */
function tensorsOf(header: Uint8Array, size: number, read: TensorsRead): readonly SafeTensor[] {
  const dataAt = LENGTH_BYTES + header.length
  const listed = Object.entries(parseHeader(header))
    .filter(([name]) => name !== '__metadata__')
    .map(([name, value]) => readEntry(name, value))
    .sort((a, b) => a.begin - b.begin || a.end - b.end)
  let free = 0
  const found: SafeTensor[] = []
  for (const { name, dtype, shape, begin, end } of listed) {
    const where = shownTensor(name)
    if (begin !== free) throw broken(`${begin < free ? 'tensors overlap' : 'no tensor has the bytes'} before ${where}`)
    const needed = read.admit(name, dtype, shape, end - begin) * (bytesOf(dtype) as number)
    if (end - begin !== needed) throw broken(`${where}: its shape needs ${needed} bytes, it has ${end - begin}`)
    found.push({ name, dtype, shape: shape as number[], start: dataAt + begin })
    free = end
  }
  if (dataAt + free > size) throw broken('it is cut off')
  if (dataAt + free < size) throw broken('no tensor has its last bytes')
  return found
}

function parseHeader(bytes: Uint8Array): object {
  let header: unknown
  try {
    header = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw broken('its header is not JSON')
  }
  if (!isObject(header)) throw broken('its header is not a JSON object')
  return header
}

function readEntry(name: string, value: unknown) {
  const where = shownTensor(name)
  const { dtype: code, shape, data_offsets: offsets } = isObject(value) ? value : {}
  if (typeof code !== 'string' || !Array.isArray(shape) || !Array.isArray(offsets) || offsets.length !== 2) {
    throw broken(`${where} must have dtype, shape and data_offsets`)
  }
  const [begin, end]: unknown[] = offsets
  if (!Number.isSafeInteger(begin) || !Number.isSafeInteger(end) || Number(begin) < 0 || Number(end) < Number(begin)) {
    throw broken(`${where}: its data_offsets are none`)
  }
  const dtype = Object.hasOwn(DTYPE, code) ? DTYPE[code] : undefined
  if (!dtype) {
    const known = Object.keys(DTYPE).join(', ')
    throw new InputInvalid(
      `${where} has the type ${excerpt(code)}, which the Node binding of ONNX Runtime does not carry; ${known} are read`,
    )
  }
  return { name, dtype, shape: shape as unknown[], begin: Number(begin), end: Number(end) }
}

const broken = (why: string) => new InputInvalid(`the file is no safetensors file that can be read: ${why}`)

/** Throws `InputInvalid` for strings, which the format has not. Wider elements come first, so that each is aligned. */
export function* safetensorsParts(tensors: Iterable<readonly [string, Tensor]>): Generator<Uint8Array, void> {
  const ordered = [...tensors].sort(([, a], [, b]) => (bytesOf(b.dtype) ?? 0) - (bytesOf(a.dtype) ?? 0))
  const header: Record<string, object> = Object.create(null)
  const content: Uint8Array[] = []
  let at = 0
  for (const [name, { dtype, shape, data }] of ordered) {
    if (Array.isArray(data)) throw new InputInvalid(`the output \`${excerpt(name)}\` ${NO_STRINGS}`)
    const bytes = viewOf(data)
    header[name] = { dtype: CODE.get(dtype as Exclude<Dtype, 'string'>), shape, data_offsets: [at, at + bytes.length] }
    content.push(bytes)
    at += bytes.length
  }
  const text = Buffer.from(JSON.stringify(header))
  const padded = Buffer.concat([text, Buffer.alloc(7 - ((text.length + 7) % 8), ' ')])
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeBigUInt64LE(BigInt(padded.length))
  yield length
  yield padded
  yield* content
}

export const NO_STRINGS = 'is of strings, which safetensors does not have: take npz or json'
