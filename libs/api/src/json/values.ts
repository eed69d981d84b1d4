import { create, type DescEnum, ScalarType } from '@bufbuild/protobuf'
import { TimestampSchema } from '@bufbuild/protobuf/wkt'
import type { Fault } from '../errors.ts'
import { enumWords } from './enum-words.ts'
import { addFault, isFull, itemPath, memberPath } from './faults.ts'
import { parseTimestamp } from './timestamp.ts'

/** Reads one value of JSON; undefined where it is wrong, and then `faults` says why. */
export type Read = (value: unknown, path: string, faults: Fault[], depth: number) => unknown

/** How deep a request may nest, counted from its outermost object. */
const maxDepth = 64

export function tooDeep(path: string, faults: Fault[], depth: number): boolean {
  if (depth < maxDepth) return false
  addFault(faults, path, 'too_deep', `nests deeper than ${maxDepth} levels`)
  return true
}

export function readScalar(scalar: ScalarType): Read {
  switch (scalar) {
    case ScalarType.STRING:
      return readString
    case ScalarType.BOOL:
      return (value, path, faults) =>
        typeof value === 'boolean' ? value : addFault(faults, path, 'wrong_type', 'must be true or false')
    case ScalarType.BYTES:
      return readBytes
    case ScalarType.DOUBLE:
      return readNumber(Number.MAX_VALUE)
    case ScalarType.FLOAT:
      return readNumber(maxFloat)
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return readInteger(0, 2 ** 32 - 1)
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.SFIXED32:
      return readInteger(-(2 ** 31), 2 ** 31 - 1)
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return readLong(0n, 2n ** 64n - 1n)
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return readLong(-(2n ** 63n), 2n ** 63n - 1n)
  }
}

/** Reads every word of the enum, and offers those that are `allowed`. */
export function readEnum(desc: DescEnum, allowed: readonly string[]): Read {
  const numbers = new Map([...enumWords(desc)].map(([number, word]) => [word, number]))
  const says = `must be one of ${allowed.join(', ')}`
  return (value, path, faults) => numbers.get(value as string) ?? addFault(faults, path, 'not_in', says)
}

export const readTimestamp: Read = (value, path, faults) => {
  const time = typeof value === 'string' ? parseTimestamp(value) : undefined
  if (time !== undefined) return create(TimestampSchema, time)
  // A query has a blank for each `+`.
  const isPlusLost = typeof value === 'string' && /T[\d:.]+ \d\d:\d\d$/i.test(value)
  const hint = isPlusLost ? '; in a URL, write + as %2B' : ''
  addFault(faults, path, 'wrong_type', `must be a time in RFC 3339, for example 2026-11-21T07:30:00.123Z${hint}`)
}

/** The most entries of a list or a map, and what is said where it has more. */
export interface Bound {
  readonly most: number
  readonly says: string
}

export function readList(read: Read, { most, says }: Bound): Read {
  return (value, path, faults, depth) => {
    if (!Array.isArray(value)) return addFault(faults, path, 'wrong_type', 'must be a list')
    if (tooDeep(path, faults, depth)) return undefined
    if (value.length > most) return addFault(faults, path, 'too_many', says)
    const items: unknown[] = []
    for (const [index, item] of value.entries()) {
      if (isFull(faults)) return undefined
      items.push(read(item, itemPath(path, index), faults, depth + 1))
    }
    // A list with gaps is none, and closing them would number the others anew.
    return items.includes(undefined) ? undefined : items
  }
}

export function readMap(read: Read, { most, says }: Bound): Read {
  return (value, path, faults, depth) => {
    if (!isObject(value)) return addFault(faults, path, 'wrong_type', 'must be an object')
    if (tooDeep(path, faults, depth)) return undefined
    const keys = Object.keys(value)
    if (keys.length > most) return addFault(faults, path, 'too_many', says)
    const map = {}
    for (const key of keys) {
      if (isFull(faults)) return undefined
      const at = memberPath(path, key)
      const fault = faultIn(key)
      if (fault !== undefined) addFault(faults, at, 'wrong_type', fault)
      const understood = read(value[key], at, faults, depth + 1)
      if (understood === undefined || fault !== undefined) continue
      // Plain assignment of this one key would set the prototype.
      if (key === '__proto__') Object.defineProperty(map, key, { ...own, value: understood })
      else (map as Record<string, unknown>)[key] = understood
    }
    return map
  }
}

/** Any JSON object, as it is. */
export const readObject: Read = (value, path, faults, depth) => {
  if (!isObject(value)) return addFault(faults, path, 'wrong_type', 'must be an object')
  return isSound(value, path, faults, depth) ? value : undefined
}

/** Any JSON value, as JSON text. */
export const readJsonText: Read = (value, path, faults, depth) =>
  isSound(value, path, faults, depth) ? JSON.stringify(value) : undefined

const readString: Read = (value, path, faults) => {
  if (typeof value !== 'string') return addFault(faults, path, 'wrong_type', 'must be a string')
  const fault = faultIn(value)
  return fault === undefined ? value : addFault(faults, path, 'wrong_type', fault)
}

const readBytes: Read = (value, path, faults) => {
  if (typeof value === 'string') {
    const bytes = Buffer.from(value, 'base64')
    // Buffer skips what is not base64, so only a text that comes back the same was.
    if (bytes.toString('base64') === value) return new Uint8Array(bytes)
  }
  addFault(faults, path, 'wrong_type', 'must be a string in base64')
}

function readNumber(max: number): Read {
  return (value, path, faults) => {
    if (typeof value !== 'number') {
      return nonFinite.get(value) ?? addFault(faults, path, 'wrong_type', 'must be a number')
    }
    return Math.abs(value) <= max ? value : addFault(faults, path, 'out_of_range', 'is too large a number')
  }
}

function readInteger(min: number, max: number): Read {
  return (value, path, faults) => {
    if (typeof value !== 'number') return addFault(faults, path, 'wrong_type', 'must be an integer')
    if (value >= min && value <= max) {
      return Number.isInteger(value) ? value : addFault(faults, path, 'wrong_type', 'must be an integer')
    }
    addFault(faults, path, 'out_of_range', `must be from ${min} to ${max}`)
  }
}

/** 64 bits: a number up to 2^53, beyond it a string of digits, since a JSON number is not exact there. */
function readLong(min: bigint, max: bigint): Read {
  return (value, path, faults) => {
    const long = typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : longText(value)
    if (long === undefined) return addFault(faults, path, 'wrong_type', 'must be an integer')
    return long >= min && long <= max ? long : addFault(faults, path, 'out_of_range', `must be from ${min} to ${max}`)
  }
}

function longText(value: unknown): bigint | undefined {
  if (typeof value !== 'string' || !/^-?[1-9]\d{15,19}$/.test(value)) return undefined
  const long = BigInt(value)
  return Number.isSafeInteger(Number(long)) ? undefined : long
}

/** Whether a free JSON value has nothing that protobuf's strings, JSON's numbers or our stores can't hold. */
function isSound(value: unknown, path: string, faults: Fault[], depth: number): boolean {
  const before = faults.length
  addFaultsIn(value, { path, steps: [], faults }, depth)
  return faults.length === before && !isFull(faults)
}

/** Where a free value is, as the steps to it: most values have no fault, and need no path. */
interface Place {
  readonly path: string
  readonly steps: (string | number)[]
  readonly faults: Fault[]
}

const pathTo = ({ path, steps }: Place): string =>
  steps.reduce<string>((at, step) => (typeof step === 'number' ? itemPath(at, step) : memberPath(at, step)), path)

function addFaultsIn(value: unknown, place: Place, depth: number): void {
  const { faults } = place
  if (typeof value === 'string') {
    const fault = faultIn(value)
    if (fault !== undefined) addFault(faults, pathTo(place), 'wrong_type', fault)
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) addFault(faults, pathTo(place), 'out_of_range', 'is too large a number')
  } else if (typeof value === 'object' && value !== null) {
    if (depth >= maxDepth) return void tooDeep(pathTo(place), faults, depth)
    if (Array.isArray(value)) addFaultsInList(value, place, depth)
    else addFaultsInObject(value as Readonly<Record<string, unknown>>, place, depth)
  }
}

function addFaultsInList(list: readonly unknown[], place: Place, depth: number): void {
  for (let at = 0; at < list.length && !isFull(place.faults); at++) {
    place.steps.push(at)
    addFaultsIn(list[at], place, depth + 1)
    place.steps.pop()
  }
}

function addFaultsInObject(object: Readonly<Record<string, unknown>>, place: Place, depth: number): void {
  const { steps, faults } = place
  for (const key in object) {
    if (isFull(faults)) return
    steps.push(key)
    const fault = faultIn(key)
    if (fault !== undefined) addFault(faults, pathTo(place), 'wrong_type', fault)
    addFaultsIn(object[key], place, depth + 1)
    steps.pop()
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What makes a text none that can be kept; not every store can keep NUL, so none is asked to. */
function faultIn(text: string): string | undefined {
  if (!text.isWellFormed()) return 'has half of a surrogate pair, which is no character'
  return text.includes('\0') ? 'holds the character U+0000' : undefined
}

const own = { writable: true, enumerable: true, configurable: true }
/** The largest number of 32 bits. */
const maxFloat = 2 ** 127 * (2 - 2 ** -23)
/** The words that the JSON of protobuf has for numbers that JSON lacks. */
const nonFinite = new Map<unknown, number>([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
])
