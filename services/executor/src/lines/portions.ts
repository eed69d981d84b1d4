/** Lines in portions, one after the other: while one runs the next is read, and what the one before gave is handed on. */
import type { Line, LineReader } from './line-reader.ts'
import { beginPortion, type LineResult, type Portion, type PortionDeps } from './run-portion.ts'

/** A portion is to take between these, in milliseconds: so a process is busy, and a stop is soon. */
const PORTION_MS = [60, 250] as const
/** The next portion may have so many times as many lines. */
const MOST_GROWTH = 8
const MOST_LINES = 2_048
/** What the results of a portion are to have at most: a run has 8 MiB in memory, the rest in files. */
const RESULT_BYTES = 2 * 2 ** 20
/** What the inputs of a portion are to have at most, in UTF-16 units. */
export const PORTION_CHARACTERS = 2 * 2 ** 20

export interface PortionsDeps extends PortionDeps {
  /** Ends the process: its results are not needed. */
  readonly kill: () => Promise<void>
}

/** The next lines that were done, in order, and how much of the input is done with their portion, from 0 to 1. */
export interface DoneLines {
  readonly results: readonly LineResult[]
  readonly fraction: number
}

/** Runs what the reader gives. Rejects as `results` of a portion does, and as reading does. */
export async function* runPortions(deps: PortionsDeps, reader: LineReader): AsyncGenerator<DoneLines, void> {
  const over = new AbortController()
  const unwanted = AbortSignal.any([deps.unwanted, over.signal])
  const begin = ({ lines, fraction }: Read) =>
    lines.length > 0 && !deps.isStopped()
      ? { portion: beginPortion({ ...deps, unwanted }, lines), fraction }
      : undefined
  let size = 1 // A line that never ends delays few others.
  let next = begin(await read(reader, size))
  let running: Begun | undefined
  try {
    while (next) {
      running = next
      next = undefined
      const { portion, fraction } = running
      const ahead = await read(reader, size)
      // What is in files takes room on the disk, which the next may need; what has ended the process runs again first.
      if (await portion.isInMemory) next = begin(ahead)
      size = nextSize(size, portion)
      for await (const results of portion.results()) yield { results, fraction }
      await portion[Symbol.asyncDispose]()
      running = undefined
      next ??= begin(ahead)
    }
  } finally {
    if (running ?? next) {
      over.abort() // The one that waits is to start no other process.
      await deps.kill()
    }
    await running?.portion[Symbol.asyncDispose]()
    await next?.portion[Symbol.asyncDispose]()
  }
}

interface Read {
  readonly lines: readonly Line[]
  readonly fraction: number
}

interface Begun {
  readonly portion: Portion
  readonly fraction: number
}

const read = async (reader: LineReader, size: number): Promise<Read> => ({
  lines: await reader.take(size, PORTION_CHARACTERS),
  fraction: reader.fraction,
})

/** More lines where the portion was short, half as many where it was long or had large results; as many where it never answered. */
function nextSize(size: number, { computeMs, resultBytes }: Portion): number {
  const [least, most] = PORTION_MS
  if (computeMs === 0) return size
  if (computeMs > most || resultBytes > RESULT_BYTES) return Math.max(1, size >> 1)
  const growth = Math.min(
    MOST_GROWTH,
    Math.ceil(least / computeMs),
    Math.floor(RESULT_BYTES / Math.max(1, resultBytes)),
  )
  return Math.min(MOST_LINES, size * growth)
}
