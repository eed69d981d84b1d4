/** A connection to an endpoint, whatever the protocol that it speaks. */

/** What is sent. Names of headers are lower-case; none of those that HTTP itself needs. */
interface Message {
  readonly authority: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** The head that ends an exchange, and how its body began. */
export interface Reply {
  readonly status: number
  readonly retryAfter?: string
  readonly excerpt: string
}

export interface Connection {
  /** How many posts may be under way at once; 0 once it takes no more. */
  readonly takes: number
  /** For how long it may be kept when nothing is under way, as its server says; milliseconds. */
  readonly keepMs: number
  /** Resolves as soon as there is a whole head, and the body has ended or is not worth waiting for. Fails with DialFailure. */
  post(message: Message, signal: AbortSignal): Promise<Reply>
  /** At once, whatever is under way. Idempotent. */
  destroy(): void
  readonly closed: Promise<void>
}

/** Of one head; nginx has 4 to 8 KiB, most servers 8 KiB. */
export const MAX_HEAD_BYTES = 16 * 1024
/** Heads before the one that counts (1xx), of which one or two make sense. */
export const MAX_INTERIM = 16
/** For how long a connection without anything to do is kept; less where its server says so. */
export const IDLE_MS = 4_000

/** A date has 29 characters, a number of seconds fewer: what is longer is neither. */
export function retryAfterOf(value: string | string[] | undefined): { retryAfter?: string } {
  return typeof value === 'string' && value.length <= 64 ? { retryAfter: value } : {}
}
