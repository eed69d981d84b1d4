/** The element types of tensors that ONNX Runtime carries, by ONNX's names. */

export type Elements =
  | Float32Array
  | Float64Array
  | Float16Array
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array
  | string[]

export type ElementArray = Exclude<Elements, string[]>

interface Numeric {
  readonly kind: 'float' | 'integer' | 'bigint' | 'bool'
  readonly bytes: number
  /** Whole numbers only. */
  readonly min: bigint
  readonly max: bigint
  /** Floats only: what is as large as this, or larger, is rounded to infinity. */
  readonly infinite: number
  make(count: number): ElementArray
  view(bytes: ArrayBuffer): ElementArray
}

/** A typed array's constructor, as a length and as a buffer use it. */
type Constructor = new (from: number | ArrayBuffer) => ElementArray

const whole = (kind: Numeric['kind'], bytes: number, min: bigint, max: bigint, array: unknown): Numeric => {
  const Elements = array as Constructor
  const infinite = Infinity
  return { kind, bytes, min, max, infinite, make: count => new Elements(count), view: buffer => new Elements(buffer) }
}

const float = (bytes: number, infinite: number, array: unknown): Numeric => ({
  ...whole('float', bytes, 0n, 0n, array),
  infinite,
})

const NUMERIC = {
  float32: float(4, 2 ** 128 - 2 ** 103, Float32Array),
  float64: float(8, Infinity, Float64Array),
  float16: float(2, 65_520, Float16Array),
  int8: whole('integer', 1, -128n, 127n, Int8Array),
  uint8: whole('integer', 1, 0n, 255n, Uint8Array),
  int16: whole('integer', 2, -32768n, 32767n, Int16Array),
  uint16: whole('integer', 2, 0n, 65535n, Uint16Array),
  int32: whole('integer', 4, -(2n ** 31n), 2n ** 31n - 1n, Int32Array),
  uint32: whole('integer', 4, 0n, 2n ** 32n - 1n, Uint32Array),
  int64: whole('bigint', 8, -(2n ** 63n), 2n ** 63n - 1n, BigInt64Array),
  uint64: whole('bigint', 8, 0n, 2n ** 64n - 1n, BigUint64Array),
  bool: whole('bool', 1, 0n, 1n, Uint8Array),
} as const satisfies Record<string, Numeric>

export type Dtype = keyof typeof NUMERIC | 'string'

export const DTYPES: readonly Dtype[] = [...(Object.keys(NUMERIC) as (keyof typeof NUMERIC)[]), 'string']

export const isDtype = (name: unknown): name is Dtype => DTYPES.includes(name as Dtype)

/** How a type's elements are kept; undefined for strings, which are a plain array. */
export const numeric = (dtype: Dtype): Numeric | undefined => (dtype === 'string' ? undefined : NUMERIC[dtype])

/** A number as an element of a type of numbers; undefined where the type has none that is near to it. */
export function numberAs(dtype: Exclude<Dtype, 'string'>, value: number): number | bigint | undefined {
  const { kind, min, max, infinite } = NUMERIC[dtype]
  if (kind === 'float') return Math.abs(value) < infinite ? value : undefined
  const whole = Number.isFinite(value) ? BigInt(Math.round(value)) : undefined
  if (whole === undefined || whole < min || whole > max) return undefined
  return kind === 'bigint' ? whole : Number(whole)
}

/** Room for `count` elements. */
export const elements = (dtype: Dtype, count: number): Elements =>
  numeric(dtype)?.make(count) ?? new Array<string>(count).fill('')
