import { randomFillSync } from 'node:crypto'

/** The prefix of every kind of id. */
export const idPrefixes = [
  'acct',
  'key',
  'consumer',
  'task',
  'batch',
  'file',
  'model',
  'inst',
  'wtask',
  'wh',
  'dlv',
  'evt',
  'inv',
  'req',
] as const

export type IdPrefix = (typeof idPrefixes)[number]

/** A TypeID: prefix, `_`, and 26 base32 characters of a UUIDv7. Ids of one prefix sort by creation, as strings. */
export type Id<P extends IdPrefix = IdPrefix> = `${P}_${string}`

/** Makes the next id of a prefix. */
export type Ids = <P extends IdPrefix>(prefix: P) => Id<P>

/** Where ids get their time and randomness. */
export interface IdSources {
  /** Milliseconds since 1970. May go backwards; ids never do. */
  readonly now?: () => number
  /** Fills an array with random bytes that nobody can guess. */
  readonly random?: (bytes: Uint8Array) => void
}

/**
 * Ids that always ascend within this process, also in the same millisecond and when the clock goes backwards.
 *
 * The 74 free bits of a UUIDv7 are a counter of 42 bits, which starts anywhere in each millisecond, and 32 fresh random
 * bits (RFC 9562, section 6.2, methods 1 and 2), so that processes do not collide and an id does not tell its neighbours.
 */
export function createIds({ now = Date.now, random = randomFillSync }: IdSources = {}): Ids {
  const pool = new Uint32Array(poolWords)
  const poolBytes = new Uint8Array(pool.buffer)
  let unused = 0
  const word = () => {
    if (unused === 0) {
      random(poolBytes)
      unused = poolWords
    }
    return pool[--unused] as number
  }

  let ms = -1
  // The counter: 12 bits of rand_a and the upper 2 of rand_b, then the next 28 of rand_b.
  let high = 0
  let low = 0
  // The first 14 characters, which seldom change: time, version, variant and `high`.
  let head = ''

  return <P extends IdPrefix>(prefix: P): Id<P> => {
    const time = now()
    if (time > ms) {
      ms = time
      high = word() >>> 18
      low = word() >>> 4
      head = headOf(ms, high)
    } else if (++low === 2 ** 28) {
      low = 0
      if (++high === 2 ** 14) {
        high = 0
        ms++
      }
      head = headOf(ms, high)
    }
    const r = word()
    return `${prefix}_${head}${pairs[low >>> 18]}${pairs[(low >>> 8) & 1023]}${pairs[((low & 255) << 2) | (r >>> 30)]}${
      pairs[(r >>> 20) & 1023]
    }${pairs[(r >>> 10) & 1023]}${pairs[r & 1023]}` as Id<P>
  }
}

/** Ids that are the same in every run: they differ by a counter and by the clock alone. For tests. */
export function countingIds(now: () => number = () => Date.UTC(2026, 0, 1)): Ids {
  return createIds({ now, random: bytes => void bytes.fill(0) })
}

/** The text as an id of that prefix, or undefined if it is none. */
export function parseId<P extends IdPrefix>(prefix: P, text: string): Id<P> | undefined {
  return text.length === prefix.length + 27 &&
    text.startsWith(prefix) &&
    text.charCodeAt(prefix.length) === underscore &&
    suffixPattern.test(text.slice(prefix.length + 1))
    ? (text as Id<P>)
    : undefined
}

/** When an id was made, in milliseconds since 1970. */
export function idTime(id: Id): number {
  const start = id.length - 26
  let ms = 0
  for (let at = start; at < start + 10; at++) ms = ms * 32 + (digits[id.charCodeAt(at)] ?? -1)
  return ms
}

/** The smallest id of that prefix that can be made in a millisecond: those made before it sort before it. */
export function firstIdAt<P extends IdPrefix>(prefix: P, ms: number): Id<P> {
  return `${prefix}_${timeOf(Math.min(Math.max(Math.ceil(ms), 0), 2 ** 48 - 1))}${'0'.repeat(16)}`
}

const poolWords = 1024
const underscore = 0x5f
/** Crockford's base32 in lower case, as the TypeID specification has it. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
/** The value of each of them, by its character code. */
const digits = Array.from({ length: 128 }, (_, code) => alphabet.indexOf(String.fromCharCode(code)))
/** 26 characters hold 130 bits, so the first is at most 7. */
const suffixPattern = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/
/** Two characters for every 10 bits. */
const pairs = Array.from({ length: 1024 }, (_, bits) => alphabet.charAt(bits >>> 5) + alphabet.charAt(bits & 31))

/** 10 characters for 48 bits of milliseconds. */
function timeOf(ms: number): string {
  let text = ''
  for (let rest = ms, n = 0; n < 5; n++, rest = Math.floor(rest / 1024)) text = pairs[rest % 1024] + text
  return text
}

/** 14 characters: the time, version 7, 12 bits of counter, variant 10, 2 bits of counter. */
function headOf(ms: number, high: number): string {
  const bits = (7 << 16) | ((high >>> 2) << 4) | (2 << 2) | (high & 3)
  return `${timeOf(ms)}${pairs[bits >>> 10]}${pairs[bits & 1023]}`
}
