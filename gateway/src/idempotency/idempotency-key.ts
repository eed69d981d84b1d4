/** Requests with an `Idempotency-Key` header. */
import { createHash } from 'node:crypto'
import { fail } from '@millhand/api'
import type { Exchange } from '../exchange.ts'

export interface KeyedRequest {
  readonly key: string
  /** SHA-256 of what makes two requests the same. */
  readonly fingerprint: Uint8Array
  /** Whether a good answer shows a secret. */
  readonly isSecret: boolean
}

/** The key of the request; undefined without one. Fails with `invalid_idempotency_key`. */
export function idempotencyKeyOf(exchange: Exchange): string | undefined {
  const [key, ...others] = exchange.req.headersDistinct['idempotency-key'] ?? []
  if (others.length > 0)
    throw fail('invalid_idempotency_key', 'The request has more than one `Idempotency-Key` header.')
  return key === undefined ? undefined : checkedKey(key)
}

/** Fails with `invalid_idempotency_key` where it can be none. */
export function checkedKey(key: string): string {
  if (printable.test(key)) return key
  throw fail('invalid_idempotency_key', '`Idempotency-Key` must be 1 to 255 printable ASCII characters.')
}

const printable = /^[ -~]{1,255}$/

/** SHA-256 of method, path, query and `rest`: the body, or what is known of one that is still to come. */
export function fingerprintOf({ req }: Exchange, rest: Uint8Array | string): Buffer {
  // Neither a method nor a target holds a line end.
  return createHash('sha256').update(`${req.method}\n${req.url}\n`).update(rest).digest()
}
