/**
 * How fast a reader that is behind reads on. It has the process's only thread when nobody else wants it. While requests
 * come it reads as many events as are appended meanwhile, so that it never falls further back, and a few more, and then
 * rests for four times as long as these took: its share of the thread stays below a fifth where a batch takes no more than
 * 125 ms, and is some 3 % where events are only counted. 900,000 of those are read in six minutes. Each reader has this
 * share; all together have no bound.
 */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { REST_MS } from './append-notifier.ts'

/** Most events in one batch: about half a megabyte. */
const BATCH = 500
const BATCH_UNDER_LOAD = 2_000
/** Beyond those that come meanwhile, in each batch. */
const EXTRA = 50
/** Most rows looked at for one batch, so that a rare topic can't hold the event loop: some 5 ms. */
export const WINDOW = 2_000
/** The same under load, for each event that the batch may have: rows of other topics cost less than events. */
const ROWS_FOR_EACH = 4
/** Of the time that a batch took. */
const REST_SHARE = 4
/** A batch that waited long for the store had the thread for little of that. */
const MOST_REST_MS = 500

export interface BatchLimits {
  readonly events: number
  /** Of the log, those of other topics included. */
  readonly rows: number
}

export interface CatchUp {
  /** What the next batch may be, of a log that ends at `end`. */
  nextBatch(end: number): BatchLimits
  /** Before a batch that is already there. */
  pause(signal: AbortSignal): Promise<void>
}

export function createCatchUp(isBusy: () => boolean, now: () => number = () => performance.now()): CatchUp {
  let isPaced = false
  let lastEnd: number | undefined
  let begun = now()
  return {
    nextBatch(end) {
      const appended = end - (lastEnd ?? end)
      lastEnd = end
      begun = now()
      if (!isPaced) return { events: BATCH, rows: WINDOW }
      const events = Math.min(appended + EXTRA, BATCH_UNDER_LOAD)
      return { events, rows: Math.min(events * ROWS_FOR_EACH, WINDOW) }
    },
    async pause(signal) {
      isPaced = isBusy()
      if (!isPaced) return await nextTurn()
      const restMs = Math.min(Math.max(REST_MS, (now() - begun) * REST_SHARE), MOST_REST_MS)
      await sleep(restMs, undefined, { signal }).catch(() => undefined)
    },
  }
}
