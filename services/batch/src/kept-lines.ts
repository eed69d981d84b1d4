/** The lines of a batch as they were accepted. */
import type { Blobs } from '@millhand/blob'
import type { BatchRecord } from './batch.ts'
import { type Line, linesOf } from './lines.ts'

/** The lines from an offset on; `end` counts from the beginning of the blob. */
export async function* keptLines(
  blobs: Blobs,
  { id, lines }: Pick<BatchRecord, 'id' | 'lines'>,
  offset = 0,
): AsyncGenerator<Line, void> {
  const content = await blobs.get(lines, offset === 0 ? undefined : { start: offset, end: Number.POSITIVE_INFINITY })
  if (content === undefined) throw new Error(`the lines of ${id} are gone`)
  try {
    const tooLong = () => {
      throw new Error(`a line of ${id} is too long`)
    }
    for await (const line of linesOf(content as AsyncIterable<Uint8Array>, Number.POSITIVE_INFINITY, tooLong))
      yield { ...line, end: offset + line.end }
  } finally {
    content.destroy()
  }
}
