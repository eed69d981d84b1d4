/**
 * Whether bytes are one JSON text (RFC 8259), without making what it says: 64 MiB of `[],[],…` would be gigabytes of
 * objects, and of many short texts each would be garbage. What nests deeper than 10,000 is none here.
 */
import { isUtf8 } from 'node:buffer'

const MOST_DEPTH = 10_000

export const isJson = (bytes: Uint8Array): boolean => isUtf8(bytes) && isOneText(bytes)

/** What may come next. */
const [VALUE, VALUE_OR_END, KEY, KEY_OR_END, COMMA_OR_END] = [0, 1, 2, 3, 4]

const [QUOTE, BACKSLASH, COLON, COMMA, MINUS, PLUS, DOT] = [0x22, 0x5c, 0x3a, 0x2c, 0x2d, 0x2b, 0x2e]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]
const [ZERO, NINE, LARGE_E, SMALL_E, SMALL_U] = [0x30, 0x39, 0x45, 0x65, 0x75]
const [TRUE, FALSE, NULL] = ['true', 'false', 'null'].map(word => Buffer.from(word)) as [Buffer, Buffer, Buffer]
/** No text ends so. */
const INVALID = -1

function isOneText(bytes: Uint8Array): boolean {
  const { length } = bytes
  /** What closes the lists and objects that are open. */
  const open: number[] = []
  let next = VALUE
  for (let at = 0; ; ) {
    at = endOfSpace(bytes, at)
    if (at === length) return next === COMMA_OR_END && open.length === 0
    const byte = bytes[at] as number
    if (next === COMMA_OR_END) {
      if (open.length === 0) return false
      const end = open[open.length - 1]
      if (byte === COMMA) next = end === CLOSE_OBJECT ? KEY : VALUE
      else if (byte === end) open.pop()
      else return false
      at++
    } else if (next === KEY || next === KEY_OR_END) {
      if (byte === QUOTE) {
        at = endOfKey(bytes, at)
        if (at === INVALID) return false
        next = VALUE
      } else {
        if (next === KEY || byte !== CLOSE_OBJECT) return false
        open.pop()
        next = COMMA_OR_END
        at++
      }
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      if (open.push(byte === OPEN_LIST ? CLOSE_LIST : CLOSE_OBJECT) > MOST_DEPTH) return false
      next = byte === OPEN_LIST ? VALUE_OR_END : KEY_OR_END
      at++
    } else if (byte === CLOSE_LIST && next === VALUE_OR_END) {
      open.pop()
      next = COMMA_OR_END
      at++
    } else {
      at = endOfScalar(bytes, at, byte)
      if (at === INVALID) return false
      next = COMMA_OR_END
    }
  }
}

function endOfSpace(bytes: Uint8Array, from: number): number {
  let at = from
  for (; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break
  }
  return at
}

/** The end of a key and of the colon behind it. */
function endOfKey(bytes: Uint8Array, from: number): number {
  const end = endOfString(bytes, from)
  if (end === INVALID) return INVALID
  const at = endOfSpace(bytes, end)
  return at < bytes.length && bytes[at] === COLON ? at + 1 : INVALID
}

function endOfScalar(bytes: Uint8Array, from: number, byte: number): number {
  if (byte === QUOTE) return endOfString(bytes, from)
  if (byte === MINUS || isDigit(byte)) return endOfNumber(bytes, from)
  const word = byte === TRUE[0] ? TRUE : byte === FALSE[0] ? FALSE : NULL
  const end = from + word.length
  return end <= bytes.length && word.every((letter, at) => letter === bytes[from + at]) ? end : INVALID
}

function endOfString(bytes: Uint8Array, from: number): number {
  for (let at = from + 1; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte < 0x20) return INVALID
    if (byte === QUOTE) return at + 1
    if (byte !== BACKSLASH) continue
    if (++at === bytes.length) return INVALID
    if (bytes[at] !== SMALL_U) {
      if (!ESCAPED.has(bytes[at] as number)) return INVALID
      continue
    }
    for (const last = at + 4; at < last; ) if (++at === bytes.length || !isHex(bytes[at] as number)) return INVALID
  }
  return INVALID
}

function endOfNumber(bytes: Uint8Array, from: number): number {
  const whole = bytes[from] === MINUS ? from + 1 : from
  let at = endOfDigits(bytes, whole)
  if (at === whole || (bytes[whole] === ZERO && at > whole + 1)) return INVALID
  if (at < bytes.length && bytes[at] === DOT) {
    const fraction = at + 1
    at = endOfDigits(bytes, fraction)
    if (at === fraction) return INVALID
  }
  if (at === bytes.length || (bytes[at] !== SMALL_E && bytes[at] !== LARGE_E)) return at
  let exponent = at + 1
  if (exponent < bytes.length && (bytes[exponent] === PLUS || bytes[exponent] === MINUS)) exponent++
  at = endOfDigits(bytes, exponent)
  return at === exponent ? INVALID : at
}

function endOfDigits(bytes: Uint8Array, from: number): number {
  let at = from
  while (at < bytes.length && isDigit(bytes[at] as number)) at++
  return at
}

const isDigit = (byte: number): boolean => byte >= ZERO && byte <= NINE
const ESCAPED: ReadonlySet<number> = new Set(Buffer.from('"\\/bfnrt'))
/** A digit, or `a` to `f` in either case. */
const isHex = (byte: number): boolean => isDigit(byte) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66)
