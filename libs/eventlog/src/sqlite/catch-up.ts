/**
 * How fast a reader that is behind reads on. It has the process's only thread when nobody else wants it. While requests
 * come it reads as many events as are appended meanwhile, so that it never falls further back, and a few more: their
 * share of the thread is some 3 %, and 900,000 events are read in six minutes.
 */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { REST_MS } from './append-notifier.ts'

/** Most events in one batch: about half a megabyte. */
const BATCH = 500
const BATCH_UNDER_LOAD = 2_000
/** Beyond those that come meanwhile, every `REST_MS`. */
const EXTRA = 50

export interface CatchUp {
  /** How many events the next batch may have, of a log that ends at `end`. */
  batchSize(end: number): number
  /** Before a batch that is already there. */
  pause(signal: AbortSignal): Promise<void>
}

export function createCatchUp(isBusy: () => boolean): CatchUp {
  let isPaced = false
  let lastEnd: number | undefined
  return {
    batchSize(end) {
      const appended = end - (lastEnd ?? end)
      lastEnd = end
      return isPaced ? Math.min(appended + EXTRA, BATCH_UNDER_LOAD) : BATCH
    },
    async pause(signal) {
      isPaced = isBusy()
      await (isPaced ? sleep(REST_MS, undefined, { signal }).catch(() => undefined) : nextTurn())
    },
  }
}
