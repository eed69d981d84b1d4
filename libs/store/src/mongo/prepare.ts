import { backoff, type Clock, retry } from '@millhand/process'
import type { Log } from '@millhand/telemetry'
import { isPassing } from './connection.ts'

export interface PrepareOptions {
  /** The collection. */
  readonly name: string
  /** Makes what it needs; what is made is not made again. */
  readonly make: () => Promise<void>
  readonly clock: Pick<Clock, 'sleep'>
  readonly log: Pick<Log, 'warn'>
}

/** How often the server answers and refuses, until that is taken for its last word. */
const MOST_REFUSALS = 5

const waitMs = backoff({ baseMs: 100, maxMs: 1_000, random: Math.random })

/**
 * Makes what a collection needs, with backoff for as long as the server is away. Rejects with the fifth refusal, and when
 * the signal ends.
 */
export async function prepare({ name, make, clock, log }: PrepareOptions, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  let refusals = 0
  await retry(make, {
    clock,
    waitMs,
    signal,
    onFailure(error, attempt) {
      // Processes that make the same collection at once can fail each other, with errors of any name.
      if (!isPassing(error) && ++refusals === MOST_REFUSALS) throw error
      log.warn('store.prepare_failed', { collection: name, error, attempt })
    },
  })
}
