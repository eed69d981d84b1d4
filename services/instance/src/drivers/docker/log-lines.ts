/** The lines of a container's log, from the engine's multiplexed stream. */
import type { Readable } from 'node:stream'
import type { LogLine } from '../driver.ts'
import { createLineIds } from '../line-ids.ts'

const LONGEST = 16 * 1024

/**
 * Frames have a header of 8 bytes: the stream, 3 zeros, the length (big-endian). Each frame is a timestamp, a space and
 * text; a line over 16 KiB comes in several, of which only the last ends with a newline.
 */
export async function* logLines(stream: Readable): AsyncGenerator<LogLine> {
  const open = new Map<LogLine['stream'], { time: string; text: string }>()
  const idOf = createLineIds()
  const finished = (stream: LogLine['stream'], { time, text }: { time: string; text: string }): LogLine => ({
    ...{ id: idOf(time), at: Date.parse(time), stream, text: text.slice(0, LONGEST) },
  })
  for await (const { stream: number, payload } of frames(stream)) {
    const stream = number === 2 ? 'stderr' : 'stdout'
    const space = payload.indexOf(' ')
    const line = open.get(stream) ?? { time: payload.slice(0, space), text: '' }
    const isLast = payload.endsWith('\n')
    if (line.text.length < LONGEST) line.text += payload.slice(space + 1, isLast ? -1 : undefined)
    if (isLast) {
      open.delete(stream)
      yield finished(stream, line)
    } else {
      open.set(stream, line)
    }
  }
  for (const [stream, line] of open) yield finished(stream, line)
}

async function* frames(stream: Readable): AsyncGenerator<{ stream: number; payload: string }> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of stream) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    while (rest.length >= 8) {
      const end = 8 + rest.readUInt32BE(4)
      if (rest.length < end) break
      yield { stream: rest[0] as number, payload: rest.toString('utf8', 8, end) }
      rest = rest.subarray(end)
    }
  }
}
