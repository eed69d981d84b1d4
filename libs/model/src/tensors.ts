/**
 * Tensors in JSON: `{"x":{"dtype":"float32","shape":[1,4],"data":[1,2,3,4]}}`, row by row, or with `data` as base64 of
 * the little-endian bytes. Not-a-number and the infinities are the strings `NaN`, `Infinity`, `-Infinity`; whole
 * numbers beyond 2^53 are decimal strings; bool takes true, false, 0, 1 and gives true and false; string tensors are
 * always lists.
 */
import { DTYPES, type Dtype, type ElementArray, type Elements, elements, isDtype, numberAs, numeric } from './dtype.ts'
import { excerpt } from './excerpt.ts'
import { isObject } from './is-object.ts'
import { MOST_RANK } from './tensor-limits.ts'

export interface Tensor {
  readonly dtype: Dtype
  readonly shape: readonly number[]
  /** float16 as Float16Array, bool as Uint8Array of 0 and 1. */
  readonly data: Elements
}

export interface NamedTensors {
  readonly tensors: ReadonlyMap<string, Tensor>
  /** Whether any came as base64: the answer then does too. */
  readonly base64: boolean
}

/** The input cannot be what the model needs; the message is for the caller. */
export class InputInvalid extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'InputInvalid'
  }
}

const FLOAT_WORDS: ReadonlyMap<unknown, number> = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
])

/** Reads named tensors from JSON text. Throws `InputInvalid`. */
export function readTensors(text: string): NamedTensors {
  const document = parseJson(text)
  if (!isObject(document)) throw new InputInvalid('the input must be a JSON object of named tensors')
  const tensors = new Map<string, Tensor>()
  let base64 = false
  for (const [name, value] of Object.entries(document)) {
    tensors.set(name, readTensor(value, name))
    base64 ||= typeof (value as { data: unknown }).data === 'string'
  }
  return { tensors, base64 }
}

/** JSON text of named tensors, with data as lists or, where `base64` says so, as base64. */
export const writeTensors = (tensors: Iterable<readonly [string, Tensor]>, base64: boolean): string =>
  [...tensorParts(tensors, base64)].join('')

/** The same in parts, so that who has enough of it can stop. */
export function* tensorParts(tensors: Iterable<readonly [string, Tensor]>, base64: boolean): Generator<string, void> {
  let before = '{'
  for (const [name, { dtype, shape, data }] of tensors) {
    yield `${before}${JSON.stringify(name)}:{"dtype":"${dtype}","shape":[${shape.join(',')}],"data":`
    if (base64 && dtype !== 'string') yield `"${toBase64(data as ElementArray)}"`
    else yield* listParts(data.length, writerOf(dtype, data))
    yield '}'
    before = ','
  }
  yield before === '{' ? '{}' : '}'
}

/** A JSON list in parts; `write` gives the text of the element at an index. */
export function* listParts(length: number, write: (index: number) => string): Generator<string, void> {
  let text = '['
  for (let index = 0; index < length; index++) {
    text += index === 0 ? write(index) : `,${write(index)}`
    if (text.length < PART_CHARACTERS) continue
    yield text
    text = ''
  }
  yield `${text}]`
}

const PART_CHARACTERS = 2 ** 16

/** Parses JSON text, which may begin with a byte order mark (RFC 8259, section 8.1). Throws `InputInvalid`. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text)
  } catch (error) {
    throw new InputInvalid(`the input is not JSON: ${excerpt((error as Error).message, 128)}`)
  }
}

/** How many elements a shape has; undefined beyond 2^53 or for a bad dimension. */
export function elementCount(shape: readonly unknown[]): number | undefined {
  let count = 1
  for (const length of shape) {
    if (typeof length !== 'number' || !Number.isSafeInteger(length) || length < 0) return undefined
    count *= length
    if (!Number.isSafeInteger(count)) return undefined
  }
  return count
}

function readTensor(value: unknown, name: string): Tensor {
  const where = `tensor \`${excerpt(name)}\``
  if (!isObject(value)) throw new InputInvalid(`${where} must be an object with dtype, shape and data`)
  const { dtype, shape, data, ...rest } = value
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) throw new InputInvalid(`${where} has an unknown field \`${excerpt(unknown)}\``)
  if (!isDtype(dtype)) throw new InputInvalid(`${where}: dtype must be one of ${DTYPES.join(', ')}`)
  if (!Array.isArray(shape) || shape.length > MOST_RANK) {
    throw new InputInvalid(`${where}: shape must be a list of at most ${MOST_RANK} whole numbers`)
  }
  const count = elementCount(shape)
  if (count === undefined) {
    throw new InputInvalid(`${where}: shape must be whole numbers of 0 or more, and their product below 2^53`)
  }
  if (typeof data === 'string') return { dtype, shape, data: fromBase64(dtype, count, data, where) }
  if (!Array.isArray(data)) throw new InputInvalid(`${where}: data must be a list or base64 text`)
  if (data.length !== count) {
    throw new InputInvalid(`${where}: shape [${shape.join(',')}] needs ${count} elements, data has ${data.length}`)
  }
  return { dtype, shape, data: readData(dtype, data, where) }
}

function readData(dtype: Dtype, data: readonly unknown[], where: string): Elements {
  const into = elements(dtype, data.length)
  const kind = numeric(dtype)?.kind ?? 'string'
  for (let index = 0; index < data.length; index++) {
    const element = readElement(kind, dtype, data[index])
    if (element === undefined) throw new InputInvalid(`${where}: data[${index}] ${whyNot(dtype, data[index])}`)
    ;(into as unknown[])[index] = element
  }
  return into
}

function readElement(kind: string, dtype: Dtype, value: unknown): number | bigint | string | undefined {
  switch (kind) {
    case 'float':
      return typeof value === 'number' ? numberAs(dtype as 'float32', value) : FLOAT_WORDS.get(value)
    case 'string':
      return typeof value === 'string' && canBeCarried(value) ? value : undefined
    case 'bool':
      return typeof value === 'boolean' ? Number(value) : value === 0 || value === 1 ? value : undefined
    case 'bigint':
      return inRange(dtype, toBigInt(value))
    default:
      return inRange(dtype, toBigInt(value)) === undefined ? undefined : Number(value)
  }
}

/** ONNX Runtime's binding takes C strings, which end at NUL, and UTF-8, which has no half of a pair. */
const canBeCarried = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

function whyNot(dtype: Dtype, value: unknown): string {
  if (dtype !== 'string' || typeof value !== 'string') return `is ${shown(value)}, which is no ${dtype}`
  return value.includes('\0')
    ? 'holds the character U+0000, which no string of a tensor can hold'
    : 'has half of a surrogate pair, which is no character'
}

/** A value in a few words. It is not walked: a small text can nest so deeply that walking it overflows the stack. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  return typeof value === 'string' ? `"${excerpt(value)}"` : String(value)
}

function toBigInt(value: unknown): bigint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined
  return typeof value === 'string' && /^-?\d{1,20}$/.test(value) ? BigInt(value) : undefined
}

function inRange(dtype: Dtype, value: bigint | undefined): bigint | undefined {
  const range = numeric(dtype)
  return range && value !== undefined && value >= range.min && value <= range.max ? value : undefined
}

function fromBase64(dtype: Dtype, count: number, text: string, where: string): Elements {
  const type = numeric(dtype)
  if (!type) throw new InputInvalid(`${where}: strings must come as a list`)
  const bytes = Buffer.from(text, 'base64')
  if (bytes.toString('base64').length !== text.length) throw new InputInvalid(`${where}: data is not base64`)
  if (bytes.length !== count * type.bytes) {
    throw new InputInvalid(`${where}: its shape needs ${count * type.bytes} bytes, data has ${bytes.length}`)
  }
  const copy = new ArrayBuffer(bytes.length)
  new Uint8Array(copy).set(bytes)
  const data = type.view(copy)
  if (type.kind === 'bool' && (data as Uint8Array).some(element => element > 1)) {
    throw new InputInvalid(`${where}: bool bytes must be 0 or 1`)
  }
  return data
}

function toBase64(data: ElementArray): string {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64')
}

/** What writes the element at an index. */
function writerOf(dtype: Dtype, data: Elements): (index: number) => string {
  const at = (index: number) => data[index] as never
  if (dtype === 'string') return index => JSON.stringify(at(index))
  if (dtype === 'bool') return index => `${at(index) !== 0}`
  if (dtype === 'float32' || dtype === 'float16') return index => shortest(at(index))
  if (dtype === 'float64') return index => writeFloat(at(index))
  return index => writeWhole(at(index))
}

const writeFloat = (value: number): string => {
  if (Object.is(value, -0)) return '-0'
  return Number.isFinite(value) ? `${value}` : `"${value}"`
}

const writeWhole = (value: number | bigint): string =>
  typeof value === 'bigint' && (value > 2n ** 53n - 1n || value < 1n - 2n ** 53n) ? `"${value}"` : `${value}`

/** The shortest of 7, 8 or 9 digits that reads back as the same float32: 9 always do. */
function shortest(value: number): string {
  if (Number.isInteger(value) || !Number.isFinite(value)) return writeFloat(value)
  for (let digits = 7; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === value) return `${short}`
  }
  return `${Number(value.toPrecision(9))}`
}
