/** The time limits of the HTTP server. */

/** Milliseconds. */
export interface ServerLimits {
  /** For the head of a request to arrive. */
  readonly headersMs?: number
  /** For a whole request to arrive; of an upload, for its next bytes. */
  readonly requestMs?: number
  /** For the caller to take the next bytes of an answer. */
  readonly readerMs?: number
  /** How often the two above are looked after. */
  readonly checkMs?: number
  /** For answers in flight when the server stops. */
  readonly stopMs?: number
}

/** Where they are not set. */
export const HEADERS_MS = 15_000
export const REQUEST_MS = 30_000
export const READER_MS = 60_000
/** Of a connection without a request: longer than a load balancer's 60 s, so that it is never the server that closes under a request on its way. */
export const KEEP_ALIVE_MS = 65_000
