/** Lines of a stream of bytes, no faster than they are read and never held as a whole. */
import { isUtf8 } from 'node:buffer'

export interface Line {
  /** Undefined where it is not valid UTF-8. */
  readonly text: string | undefined
  /** Counts from 1. */
  readonly number: number
  /** Bytes of the stream up to the end of the line, with its newline. */
  readonly end: number
}

const NEWLINE = 0x0a

/** The lines of UTF-8 text that are not blank. Calls `onTooLong` with the number of a line of more than `most` bytes, and ends. */
export async function* linesOf(
  content: AsyncIterable<Uint8Array>,
  most: number,
  onTooLong: (number: number) => void,
): AsyncGenerator<Line, void> {
  let parts: Uint8Array[] = []
  let size = 0
  let end = 0
  let number = 0
  const take = (): Line => {
    const bytes = Buffer.concat(parts)
    const text = isUtf8(bytes) ? bytes.toString('utf8') : undefined
    parts = []
    size = 0
    number++
    return { text: number === 1 && text?.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text, number, end }
  }
  for await (const chunk of content) {
    let from = 0
    for (;;) {
      const at = chunk.indexOf(NEWLINE, from)
      const part = chunk.subarray(from, at === -1 ? chunk.length : at)
      size += part.length
      end += part.length + (at === -1 ? 0 : 1)
      if (size > most) return onTooLong(number + 1)
      if (part.length > 0) parts.push(part)
      if (at === -1) break
      from = at + 1
      const line = take()
      if (line.text?.trim() !== '') yield line
    }
  }
  if (size === 0) return
  const last = take()
  if (last.text?.trim() !== '') yield last
}

const BYTE_ORDER_MARK = '\uFEFF'
