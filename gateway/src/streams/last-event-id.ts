import { fail } from '@millhand/api'

/** The place in the stream that the `Last-Event-ID` header names; undefined without one. Fails with `invalid_parameter`. */
export function parseLastEventId(header: string | undefined): bigint | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,16}$/.test(header) && BigInt(header) <= Number.MAX_SAFE_INTEGER) return BigInt(header)
  throw fail('invalid_parameter', '`Last-Event-ID` must be the `id` of an event of this stream: a whole number.', {
    param: 'Last-Event-ID',
  })
}
