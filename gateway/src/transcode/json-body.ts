/** A body of JSON: its bytes, and the object that they hold, which is parsed once. */
import { isUtf8 } from 'node:buffer'
import { fail, type Route } from '@millhand/api'
import { withoutSecrets } from '@millhand/api/redact-secrets'
import type { Principal } from '@millhand/rpc'
import type { Concurrency, Permit } from '../admission/concurrency.ts'
import type { Exchange } from '../exchange.ts'
import { requireJson } from './content-type.ts'
import { readBody } from './read-body.ts'

/** The most bytes of a body that is parsed. */
export const bodyLimitOf = ({ access }: Pick<Route, 'access'>): number => (access.maxBodyMib || 1) * MIB

const MIB = 1_048_576

export class JsonBody {
  readonly bytes: Buffer
  readonly #permit: Permit | undefined
  #value: unknown

  /** `permit` is for the bytes, until `release` is called. */
  constructor(bytes: Buffer, permit: Permit | undefined) {
    this.bytes = bytes
    this.#permit = permit
  }

  /** Fails with `invalid_json`. */
  value(): unknown {
    this.#value ??= parseJson(this.bytes)
    return this.#value
  }

  /** The bytes count as the caller's no more. Idempotent. */
  release(): void {
    this.#permit?.[Symbol.dispose]()
  }
}

/**
 * A body of at most `limit` bytes. Fails with `unsupported_media_type` and `payload_too_large`, with `concurrency_limited` where the caller's bodies hold
 * too much, and with `CallerGone`.
 */
export async function readJsonBody(
  exchange: Exchange,
  caller: Principal,
  bodies: Concurrency,
  limit: number,
): Promise<JsonBody> {
  requireJson(exchange)
  let permit: Permit | undefined
  const reserve = (bytes: number) => {
    if (bytes === 0) return
    if (permit === undefined) permit = bodies.acquire(caller, bytes)
    else permit.growTo(bytes)
  }
  try {
    const announced = Number(exchange.head.headers['content-length'] ?? 0)
    if (announced <= limit) reserve(announced)
    return new JsonBody(await readBody(exchange, limit, reserve), permit)
  } catch (error) {
    permit?.[Symbol.dispose]()
    throw error
  }
}

/**
 * The object that `bytes` hold. What is in it is for its reader to judge, and of a small body also how deep it nests:
 * parsing does not recurse, so nothing here may.
 * Fails with `invalid_json` where they are not UTF-8 or not JSON, and the detail shows the place; with `invalid_parameter`
 * where a large body would take long to parse.
 */
function parseJson(body: Buffer): unknown {
  const bytes = withoutMark(body)
  if (bytes.length === 0) throw fail('invalid_json', 'The body is empty; a JSON object is expected.')
  const encoding = otherEncoding(bytes)
  if (encoding !== undefined) throw fail('invalid_json', `The body is in ${encoding}: save it as UTF-8.`)
  if (!isUtf8(bytes)) throw fail('invalid_json', 'The body is not valid UTF-8.')
  const first = firstIn(bytes)
  if (isMarked(bytes, first))
    throw fail(
      'invalid_json',
      'The body has a second byte order mark (EF BB BF), or one behind blanks: save it without a byte order mark.',
    )
  // Before a long list is scanned or parsed.
  if (bytes[first] === LIST) throw notAnObject()
  checkShape(bytes)
  const text = bytes.toString('utf8')
  const value = parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw notAnObject()
  }
  return value
}

/** Readers may ignore a byte order mark (RFC 8259, section 8.1), which editors write. */
const withoutMark = (bytes: Buffer) => (isMarked(bytes, 0) ? bytes.subarray(3) : bytes)

const isMarked = (bytes: Buffer, at: number) => bytes[at] === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf

/** By a byte order mark, or by where the zeros of the first character are, which is ASCII in all JSON objects (RFC 4627, section 3). */
function otherEncoding([first, second, third, fourth]: Buffer): 'UTF-16' | 'UTF-32' | undefined {
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    return third === 0 && fourth === 0 ? 'UTF-32' : 'UTF-16'
  if (first !== 0 && second !== 0) return undefined
  if (first === 0 && second === 0) return 'UTF-32'
  return third === 0 && fourth === 0 ? 'UTF-32' : 'UTF-16'
}

const notAnObject = () => fail('invalid_json', 'The body is not a JSON object.')

/** Where the first is that is no white space; all that JSON has of that is at most a space, and nothing else that JSON has is. */
function firstIn(bytes: Buffer): number {
  let at = 0
  while (at < bytes.length && (bytes[at] as number) <= SPACE) at++
  return at
}

const SPACE = 0x20

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    // The message may show a piece of the text, and a piece of a secret does not look like one.
    const place = withoutSecrets(text) === text ? `: ${(error as Error).message}` : ''
    throw fail('invalid_json', `The body is not valid JSON${place}.`)
  }
}

/** Parsing a smaller text costs less than a call, whatever it holds; its reader says more of what is wrong. */
const SMALL_BYTES = 65_536
/** As deep as a request may nest. */
const MAX_LEVELS = 64
/** Of one object: many keys make it a hash table. No message has so many fields, no map so many pairs and no row so many columns. */
const MAX_MEMBERS = 4_096
/** Objects and lists together: more than the rows of any table that fits an input of 512 KiB. */
const MAX_CONTAINERS = 100_000

/** Checks a large text before it is parsed: some texts take 30 times as long as others. Fails with `invalid_parameter`. What is no JSON at all is for the parser to say. */
export function checkShape(text: Buffer): void {
  if (text.length <= SMALL_BYTES) return
  /** By level: the members of the object that is open there. A list has none. */
  const members = new Uint32Array(MAX_LEVELS + 1)
  let level = 0
  let containers = 0
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case QUOTE:
        at = endOfString(text, at)
        break
      case COLON:
        members[level] = (members[level] as number) + 1
        if ((members[level] as number) > MAX_MEMBERS) throw tooMuch(`an object with more than ${MAX_MEMBERS} members`)
        break
      case OBJECT:
      case LIST:
        level++
        containers++
        if (level > MAX_LEVELS) throw tooMuch(`values that nest deeper than ${MAX_LEVELS} levels`)
        if (containers > MAX_CONTAINERS) throw tooMuch(`more than ${MAX_CONTAINERS} objects and lists`)
        members[level] = 0
        break
      case OBJECT_END:
      case LIST_END:
        // More ends than beginnings are no JSON.
        if (level === 0) return
        level--
    }
  }
}

function endOfString(text: Buffer, from: number): number {
  let at = from + 1
  while (at < text.length && text[at] !== QUOTE) at += text[at] === BACKSLASH ? 2 : 1
  return at
}

const [QUOTE, BACKSLASH, COLON, OBJECT, OBJECT_END, LIST, LIST_END] = [
  0x22, 0x5c, 0x3a, 0x7b, 0x7d, 0x5b, 0x5d,
] as const

const tooMuch = (what: string) => fail('invalid_parameter', `The body holds ${what}.`)
