/**
 * Whether bytes are one JSON text (RFC 8259), without making what it says: 64 MiB of `[],[],…` would be gigabytes of
 * objects. What nests deeper than 10,000, and a number of more than 1,024 characters, is none here.
 */
import { isUtf8 } from 'node:buffer'

const MOST_DEPTH = 10_000
const MOST_SCALAR = 1_024

export const isJson = (bytes: Uint8Array): boolean => isUtf8(bytes) && new Scanner(bytes).isOneText()

/** What may come next. */
type Next = 'value' | 'value or end' | 'key' | 'key or end' | 'comma or end'

const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]
const SCALAR = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/
const isSpace = (byte: number | undefined) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
const isOf = (characters: string) => {
  const bytes = new Set<number | undefined>(Buffer.from(characters))
  return (byte: number | undefined) => bytes.has(byte)
}
const isOfScalar = isOf('+-.0123456789Eaeflnrstu')
const isEscaped = isOf('"\\/bfnrtu')
const isHex = isOf('0123456789abcdefABCDEF')

class Scanner {
  readonly #bytes: Uint8Array
  #at = 0
  #next: Next = 'value'
  /** What closes the lists and objects that are open. */
  readonly #open: number[] = []

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  isOneText(): boolean {
    for (;;) {
      this.#skipSpace()
      if (this.#at === this.#bytes.length) return this.#next === 'comma or end' && this.#open.length === 0
      if (!this.#take(this.#bytes[this.#at] as number)) return false
    }
  }

  /** Goes on behind what begins with this byte; false where that may not come next. */
  #take(byte: number): boolean {
    switch (this.#next) {
      case 'value or end':
        return byte === CLOSE_LIST ? this.#close(byte) : this.#takeValue(byte)
      case 'value':
        return this.#takeValue(byte)
      case 'key or end':
        return byte === CLOSE_OBJECT ? this.#close(byte) : this.#takeKey(byte)
      case 'key':
        return this.#takeKey(byte)
      case 'comma or end':
        if (byte !== COMMA) return this.#close(byte)
        this.#at++
        this.#next = this.#open.at(-1) === CLOSE_OBJECT ? 'key' : 'value'
        return this.#open.length > 0
    }
  }

  #takeValue(byte: number): boolean {
    if (byte === OPEN_LIST) return this.#enter(CLOSE_LIST, 'value or end')
    if (byte === OPEN_OBJECT) return this.#enter(CLOSE_OBJECT, 'key or end')
    this.#next = 'comma or end'
    return byte === QUOTE ? this.#takeString() : this.#takeScalar()
  }

  #takeKey(byte: number): boolean {
    if (byte !== QUOTE || !this.#takeString()) return false
    this.#skipSpace()
    this.#next = 'value'
    return this.#bytes[this.#at++] === COLON
  }

  #enter(end: number, next: Next): boolean {
    this.#at++
    this.#next = next
    return this.#open.push(end) <= MOST_DEPTH
  }

  #close(byte: number): boolean {
    this.#at++
    this.#next = 'comma or end'
    return this.#open.pop() === byte
  }

  #takeString(): boolean {
    for (this.#at++; ; this.#at++) {
      const byte = this.#bytes[this.#at]
      if (byte === undefined || byte < 0x20) return false
      if (byte === QUOTE) {
        this.#at++
        return true
      }
      if (byte === BACKSLASH && !this.#takeEscape()) return false
    }
  }

  /** Up to its last byte. */
  #takeEscape(): boolean {
    const byte = this.#bytes[++this.#at]
    if (byte !== 0x75) return isEscaped(byte)
    for (let digits = 0; digits < 4; digits++) if (!isHex(this.#bytes[++this.#at])) return false
    return true
  }

  #takeScalar(): boolean {
    const from = this.#at
    while (isOfScalar(this.#bytes[this.#at])) this.#at++
    const text = this.#at - from > MOST_SCALAR ? '' : String.fromCharCode(...this.#bytes.subarray(from, this.#at))
    return SCALAR.test(text)
  }

  #skipSpace(): void {
    while (isSpace(this.#bytes[this.#at])) this.#at++
  }
}
