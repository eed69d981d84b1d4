/**
 * The format of one NumPy array, versions 1.0 to 3.0:
 * https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
 */
import type { Dtype, ElementArray } from '../dtype.ts'
import { excerpt } from '../excerpt.ts'
import { InputInvalid, type Tensor } from '../tensors.ts'
import type { ByteReader } from './byte-source.ts'
import { bytesOf, emptyElements, shownTensor, swapBytes, type TensorsRead, toRowOrder, viewOf } from './tensor-bytes.ts'

const MAGIC = '\x93NUMPY'
/** That of a thousand dimensions is shorter. */
const MOST_HEADER = 65_536

const DTYPE: Readonly<Record<string, Exclude<Dtype, 'string'>>> = {
  b1: 'bool',
  i1: 'int8',
  i2: 'int16',
  i4: 'int32',
  i8: 'int64',
  u1: 'uint8',
  u2: 'uint16',
  u4: 'uint32',
  u8: 'uint64',
  f2: 'float16',
  f4: 'float32',
  f8: 'float64',
}
const CODE = new Map(Object.entries(DTYPE).map(([code, dtype]) => [dtype, code]))

/** Of one element, as it is in the file: a text is read as a whole. */
const MOST_TEXT_BYTES = 2 ** 20

/** Text as NumPy has it: `U` of UTF-32, `S` of bytes. */
interface TextType {
  readonly kind: 'U' | 'S'
  readonly itemBytes: number
}

interface Header {
  readonly element: { readonly dtype: Exclude<Dtype, 'string'> } | TextType
  readonly isBigEndian: boolean
  readonly isColumnOrder: boolean
  readonly shape: readonly number[]
}

/** Reads one array into `read`. `bytes`: what it takes with its header. Rejects with `InputInvalid`. */
export async function readNpy(name: string, reader: ByteReader, bytes: number, read: TensorsRead): Promise<void> {
  const where = shownTensor(name)
  const start = await reader.take(Math.min(8, bytes))
  if (start.toString('latin1', 0, 6) !== MAGIC) throw new InputInvalid(`${where} is no NumPy array`)
  const [major, minor] = [start[6], start[7]]
  if (major === undefined || major < 1 || major > 3 || minor !== 0) {
    throw new InputInvalid(`${where} is in version ${major}.${minor} of NumPy's format; 1.0 to 3.0 are read`)
  }
  const length = major === 1 ? (await reader.take(2)).readUInt16LE() : (await reader.take(4)).readUInt32LE()
  if (length > MOST_HEADER) throw new InputInvalid(`${where} has a header of more than ${MOST_HEADER} bytes`)
  const header = readHeader((await reader.take(length)).toString('utf8'), where)
  const { element, shape } = header
  const dataBytes = bytes - (major === 1 ? 10 : 12) - length
  const dtype = 'dtype' in element ? element.dtype : 'string'
  const count = read.admit(name, dtype, shape, dataBytes)
  const itemBytes = 'dtype' in element ? (bytesOf(element.dtype) as number) : element.itemBytes
  if (dataBytes !== count * itemBytes) {
    throw new InputInvalid(`${where}: its shape needs ${count * itemBytes} bytes, it has ${dataBytes}`)
  }
  const data =
    'dtype' in element
      ? await readNumbers(reader, element.dtype, count, header)
      : await readTexts(reader, element, count, header, where)
  if (!(await reader.atEnd())) throw new InputInvalid(`${where} has more than its shape says`)
  read.add(name, { dtype, shape, data: header.isColumnOrder ? toRowOrder(dtype, shape, data) : data })
}

async function readNumbers(
  reader: ByteReader,
  dtype: Exclude<Dtype, 'string'>,
  count: number,
  { isBigEndian }: Header,
): Promise<ElementArray> {
  const data = emptyElements(dtype, count)
  await reader.fill(viewOf(data))
  if (isBigEndian) swapBytes(viewOf(data), bytesOf(dtype) as number)
  return data
}

const BLOCK_BYTES = 65_536

async function readTexts(
  reader: ByteReader,
  { kind, itemBytes }: TextType,
  count: number,
  { isBigEndian }: Header,
  where: string,
): Promise<string[]> {
  const texts: string[] = []
  const perBlock = Math.max(1, Math.floor(BLOCK_BYTES / Math.max(1, itemBytes)))
  while (texts.length < count) {
    const block = await reader.take(Math.min(perBlock, count - texts.length) * itemBytes)
    if (kind === 'U' && isBigEndian) swapBytes(block, 4)
    const items = itemBytes === 0 ? count : block.length / itemBytes
    for (let item = 0; item < items; item++) {
      const bytes = block.subarray(item * itemBytes, (item + 1) * itemBytes)
      const text = kind === 'U' ? fromUtf32(bytes) : fromUtf8(bytes)
      if (text === undefined || text.includes('\0')) {
        throw new InputInvalid(`${where}: element ${texts.length} is no text that a tensor can hold`)
      }
      texts.push(text)
    }
  }
  return texts
}

/** NumPy fills what is shorter up with zeros. Undefined for what is no text. */
function fromUtf32(bytes: Buffer): string | undefined {
  const codes: number[] = []
  for (let at = 0; at < bytes.length; at += 4) codes.push(bytes.readUInt32LE(at))
  while (codes.at(-1) === 0) codes.pop()
  if (codes.some(code => code > 0x10ffff || (code >= 0xd800 && code < 0xe000))) return undefined
  return codes.map(code => String.fromCodePoint(code)).join('')
}

function fromUtf8(bytes: Buffer): string | undefined {
  let end = bytes.length
  while (end > 0 && bytes[end - 1] === 0) end--
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(0, end))
  } catch {
    return undefined
  }
}

const PAIR = /\s*(['"])(\w+)\1\s*:\s*(?:(['"])([^'"\\]*)\3|(True|False)|\(([\d\s,L]*)\))\s*(?:,|(?=\}))/y

/** A dictionary as Python writes it. Any order, quotes and white space: other programs write it too. */
function readHeader(text: string, where: string): Header {
  const fields = new Map<string, string>()
  const whole = /^\s*\{(.*\})\s*$/s.exec(text)?.[1] ?? ''
  let at = 0
  for (;;) {
    PAIR.lastIndex = at
    const pair = PAIR.exec(whole)
    if (!pair) break
    const [, , key = '', , word, flag, tuple] = pair
    if (fields.has(key)) throw new InputInvalid(`${where}: its header has \`${excerpt(key)}\` twice`)
    fields.set(key, word ?? flag ?? tuple ?? '')
    at = PAIR.lastIndex
  }
  const [descr, order, shape] = [fields.get('descr'), fields.get('fortran_order'), fields.get('shape')]
  if (whole.slice(at).trim() !== '}' || fields.size !== 3 || !descr || !order || shape === undefined) {
    throw new InputInvalid(
      `${where}: its header is not that of a plain array (descr, fortran_order, shape); arrays of records are not read`,
    )
  }
  const lengths = shape.split(',').map(length => length.trim().replace(/L$/, ''))
  if (lengths.at(-1) === '') lengths.pop() // After the last comma, or of nothing.
  if (!lengths.every(length => /^\d{1,16}$/.test(length))) throw new InputInvalid(`${where}: its shape is none`)
  return { ...readType(descr, where), isColumnOrder: order === 'True', shape: lengths.map(Number) }
}

function readType(descr: string, where: string): Pick<Header, 'element' | 'isBigEndian'> {
  const [, endian, kind = '', size = ''] = /^([<>=|])([a-zA-Z])(\d{0,9})$/.exec(descr) ?? []
  const isBigEndian = endian === '>'
  if (kind === 'U' || kind === 'S') {
    const itemBytes = Number(size) * (kind === 'U' ? 4 : 1)
    if (itemBytes > MOST_TEXT_BYTES) {
      throw new InputInvalid(
        `${where} has texts of ${itemBytes} bytes each; a text may have at most ${MOST_TEXT_BYTES}`,
      )
    }
    return { element: { kind, itemBytes }, isBigEndian }
  }
  const dtype = Object.hasOwn(DTYPE, kind + size) ? DTYPE[kind + size] : undefined
  if (dtype) return { element: { dtype }, isBigEndian }
  const known = 'bool, int8 to int64, uint8 to uint64, float16 to float64, and text (U, S) are read'
  const hint = kind === 'O' ? ' (Python objects, which are code)' : ''
  throw new InputInvalid(`${where} has elements of the type ${excerpt(descr)}${hint}; ${known}`)
}

/** The parts of a `.npy` file, version 1.0, or 2.0 where the header is long. */
export function npyParts({ dtype, shape, data }: Tensor): Uint8Array[] {
  if (dtype === 'string') {
    const { bytes, length } = toUtf32(data as string[])
    return [headerOf(`<U${length}`, shape), bytes]
  }
  const code = CODE.get(dtype) as string
  return [headerOf(`${bytesOf(dtype) === 1 ? '|' : '<'}${code}`, shape), viewOf(data as ElementArray)]
}

function headerOf(descr: string, shape: readonly number[]): Uint8Array {
  const tuple = shape.length === 1 ? `${shape[0]},` : shape.join(', ')
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${tuple}), }`
  // The data begins at a multiple of 64 bytes.
  const padding = 63 - ((10 + text.length) % 64)
  const length = Buffer.alloc(2)
  length.writeUInt16LE(text.length + padding + 1)
  return Buffer.concat([
    Buffer.from(`${MAGIC}\x01\0`, 'latin1'),
    length,
    Buffer.from(`${text}${' '.repeat(padding)}\n`),
  ])
}

/** Each as long as the longest, in characters. */
function toUtf32(texts: readonly string[]): { readonly bytes: Uint8Array; readonly length: number } {
  const length = textLength(texts)
  const bytes = Buffer.alloc(texts.length * length * 4)
  for (const [index, text] of texts.entries()) {
    let at = index * length * 4
    for (const character of text) at = bytes.writeUInt32LE(character.codePointAt(0) as number, at)
  }
  return { bytes, length }
}

/** Characters of the longest; NumPy has no text of none. */
function textLength(texts: readonly string[]): number {
  let most = 1
  for (const text of texts) {
    let length = 0
    for (const _ of text) length++
    if (length > most) most = length
  }
  return most
}

/** Bytes that the elements take in a `.npy` file, before they are written. */
export const npyBytes = ({ dtype, data }: Tensor): number =>
  dtype === 'string' ? textLength(data as string[]) * 4 * data.length : (data as ElementArray).byteLength
