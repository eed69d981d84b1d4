/** The lines of a stream; rejects where it breaks off. Of a line only the first `longest` characters are kept. */
import type { Readable } from 'node:stream'

export async function* streamLines(stream: Readable, longest = Number.POSITIVE_INFINITY): AsyncGenerator<string> {
  let open = ''
  stream.setEncoding('utf8')
  for await (const chunk of stream) {
    const [first = '', ...others] = String(chunk).split('\n')
    if (open.length < longest) open += first
    if (others.length === 0) continue
    const last = others.pop() ?? ''
    yield open
    yield* others
    open = last
  }
  if (open !== '') yield open
}
