/** The `Idempotency-Key` header. */
import { fail } from '@millhand/api'
import type { Exchange } from '../exchange.ts'

/** The key that the request was sent with; undefined without one. Fails with `invalid_idempotency_key`. */
export function idempotencyKeyOf(exchange: Exchange): string | undefined {
  const [key, ...others] = exchange.req.headersDistinct['idempotency-key'] ?? []
  if (others.length > 0)
    throw fail('invalid_idempotency_key', 'The request has more than one `Idempotency-Key` header.')
  if (key === undefined || printable.test(key)) return key
  throw fail('invalid_idempotency_key', '`Idempotency-Key` must be 1 to 255 printable ASCII characters.')
}

const printable = /^[ -~]{1,255}$/
