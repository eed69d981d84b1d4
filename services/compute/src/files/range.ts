/** Which bytes of a file are asked for: the ranges of HTTP (RFC 9110, section 14.1.2). */
import { fail } from '@millhand/api'
import type { GetFileContentRequest } from '@millhand/api/gen/millhand/compute/v1/file_pb.ts'

export interface ByteRange {
  /** The first byte, from 0. */
  readonly start: number
  readonly length: number
}

/**
 * The slice of a file of `size` bytes. Fails with `range_not_satisfiable`, whose metadata tell the `size`, where it would
 * have no byte, and with `invalid_parameter` for what is no range.
 */
export function byteRangeOf(
  { start, end, suffix }: Pick<GetFileContentRequest, 'start' | 'end' | 'suffix'>,
  size: number,
): ByteRange {
  if (suffix !== undefined) {
    if (start !== undefined || end !== undefined) {
      throw fail('invalid_parameter', '`suffix` stands in the place of `start` and `end`.', { param: 'suffix' })
    }
    // Any suffix but an empty one can be had, also of an empty file.
    if (suffix === 0) throw unsatisfiable(size)
    const length = Math.min(suffix, size)
    return { start: size - length, length }
  }
  if (start === undefined && end === undefined) return { start: 0, length: size }
  const first = start ?? 0
  const last = Math.min(end ?? size, size - 1)
  if (end !== undefined && end < first) {
    throw fail('invalid_parameter', '`end` must not be before `start`.', { param: 'end' })
  }
  if (first >= size) throw unsatisfiable(size)
  return { start: first, length: last - first + 1 }
}

const unsatisfiable = (size: number) =>
  fail('range_not_satisfiable', `The range has none of the file's ${size} bytes.`, { metadata: { size: String(size) } })
