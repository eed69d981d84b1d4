/** Which bytes a request asks for (RFC 9110, section 14). */

/** Both ends included; cut at the end of what there is. */
export type ByteRange = { readonly start: number; readonly end?: number } | { readonly suffix: number }

/**
 * The one range that a `Range` header asks for. Undefined where it asks for several, in another unit than bytes, or in a
 * way that has no meaning: the answer is whole then, as section 14.2 has it.
 */
export function parseRange(header: string | undefined): ByteRange | undefined {
  const match = header === undefined ? null : singleRange.exec(header)
  if (match === null) return undefined
  const [, first = '', last = ''] = match
  if (first !== '') {
    if (last === '') return { start: position(first) }
    return BigInt(first) <= BigInt(last) ? { start: position(first), end: position(last) } : undefined
  }
  return last === '' ? undefined : { suffix: position(last) }
}

const singleRange = /^bytes=[ \t]*(\d{0,20})-(\d{0,20})[ \t]*$/i

/** A position as the contract can carry it; no content is as large as the largest of those. */
const position = (digits: string) => Math.min(Number(digits), 2 ** 32 - 1)
