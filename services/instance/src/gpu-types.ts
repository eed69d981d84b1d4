/** What instances can run on: the driver is asked at most every few seconds. */
import { fail } from '@millhand/api'
import type { Clock } from '@millhand/process'
import type { Capacity, Driver } from './drivers/driver.ts'

export interface GpuTypes {
  /** Fails with `invalid_parameter`, and with `unavailable` where that is not known yet. */
  require(gpu: string, signal: AbortSignal): Promise<void>
}

const KNOWN_MS = 5_000
/** A caller waits no longer for an engine. */
const ANSWER_MS = 3_000

export function createGpuTypes(driver: Driver | undefined, clock: Pick<Clock, 'monotonic'>): GpuTypes {
  let known: readonly Capacity[] | undefined
  let askedAt = Number.NEGATIVE_INFINITY

  async function types(signal: AbortSignal): Promise<readonly Capacity[] | undefined> {
    if (driver === undefined || clock.monotonic() - askedAt < KNOWN_MS) return known
    askedAt = clock.monotonic()
    known = await driver.capacity(AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)])).catch(() => known)
    return known
  }

  return {
    async require(gpu, signal) {
      // What was there once is waited for.
      const isKnown = (all: readonly Capacity[] | undefined) => gpu === 'cpu' || all?.some(type => type.gpu === gpu)
      if (isKnown(known)) return
      const found = await types(signal)
      if (isKnown(found)) return
      if (found === undefined) throw fail('unavailable', 'The container engine does not answer.', { retryAfterS: 5 })
      const names = [...new Set(['cpu', ...found.map(type => type.gpu)])].join(', ')
      throw fail('invalid_parameter', `\`gpu\` must be one of ${names}.`, { param: 'gpu' })
    },
  }
}
