/** The lines of a pod's log: each a time, a space and text. The API server does not tell the streams apart. */
import type { Readable } from 'node:stream'
import type { LogLine, LogOptions } from '../driver.ts'
import { createLineIds, linesAfter, nanoseconds } from '../line-ids.ts'
import { streamLines } from './stream-lines.ts'

const LONGEST = 16 * 1024

/** The query of the API server's answer to it. Its times are whole seconds. */
export function logQuery({ follow, tail, since, after }: LogOptions): Record<string, string | number | boolean> {
  const from = after === undefined ? since : Math.max(since ?? 0, Number(nanoseconds(after) / 1_000_000n))
  return {
    ...{ follow, timestamps: true },
    ...(from !== undefined && { sinceTime: new Date(Math.floor(from / 1000) * 1000).toISOString() }),
    ...(tail !== undefined && after === undefined && { tailLines: tail }),
  }
}

export async function* logLines(stream: Readable, { since = 0, after }: LogOptions): AsyncGenerator<LogLine> {
  const lines = parsed(stream)
  for await (const line of after === undefined ? lines : linesAfter(after, lines)) if (line.at >= since) yield line
}

async function* parsed(stream: Readable): AsyncGenerator<LogLine> {
  const idOf = createLineIds()
  for await (const written of streamLines(stream, 2 * LONGEST)) {
    const space = written.indexOf(' ')
    const time = written.slice(0, space)
    const at = Date.parse(time)
    // A line of the node's own, such as that it can't read the log any more.
    if (space === -1 || Number.isNaN(at)) continue
    yield { id: idOf(time), at, stream: 'stdout', text: written.slice(space + 1, space + 1 + LONGEST) }
  }
}
