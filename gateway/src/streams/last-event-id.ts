/** The `Last-Event-ID` header: where a reader goes on. */
import { fail } from '@millhand/api'

/** The place that the header names; undefined without one. Fails with `invalid_parameter`. */
export function parseLastEventId(header: string | undefined): bigint | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,16}$/.test(header) && BigInt(header) <= Number.MAX_SAFE_INTEGER) return BigInt(header)
  throw fail('invalid_parameter', '`Last-Event-ID` must be the `id` of an event of this stream: a whole number.', {
    param: 'Last-Event-ID',
  })
}
