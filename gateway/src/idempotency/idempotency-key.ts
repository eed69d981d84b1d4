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
  const { headers, rawHeaders } = exchange.head
  const key = headers['idempotency-key'] as string | undefined
  if (key === undefined) return undefined
  const isName = (text: string, at: number) => at % 2 === 0 && text.toLowerCase() === 'idempotency-key'
  if (rawHeaders.filter(isName).length > 1)
    throw fail('invalid_idempotency_key', 'The request has more than one `Idempotency-Key` header.')
  return checkedKey(key)
}

/** Fails with `invalid_idempotency_key` where it can be none. */
export function checkedKey(key: string): string {
  if (printable.test(key)) return key
  throw fail('invalid_idempotency_key', '`Idempotency-Key` must be 1 to 255 printable ASCII characters.')
}

const printable = /^[ -~]{1,255}$/

/** SHA-256 of method, path, query and `rest`: the body, or what is known of one that is still to come. */
export function fingerprintOf({ head }: Exchange, rest: Uint8Array | string): Buffer {
  // Neither a method nor a target holds a line end.
  return createHash('sha256').update(`${head.method}\n${head.url}\n`).update(rest).digest()
}
