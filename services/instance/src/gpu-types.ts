/** What instances can run on: the driver is asked at most every few seconds. */
import { fail } from '@millhand/api'
import type { Clock } from '@millhand/process'
import type { Capacity, Driver } from './drivers/driver.ts'

export interface GpuTypes {
  /** Fails with `invalid_parameter`, and with `unavailable` where that is not known yet. */
  require(gpu: string): Promise<void>
  /** Empty where no engine is configured, or none has answered yet. */
  list(): Promise<readonly Capacity[]>
}

const KNOWN_MS = 5_000
/** A caller waits no longer for an engine. */
const ANSWER_MS = 3_000

export function createGpuTypes(driver: Driver | undefined, clock: Pick<Clock, 'monotonic'>): GpuTypes {
  let known: readonly Capacity[] | undefined
  let asking: Promise<readonly Capacity[] | undefined> = Promise.resolve(undefined)
  let askedAt = Number.NEGATIVE_INFINITY

  /** All who ask in these seconds wait for the same answer. */
  function types(): Promise<readonly Capacity[] | undefined> {
    if (driver === undefined || clock.monotonic() - askedAt < KNOWN_MS) return asking
    askedAt = clock.monotonic()
    asking = driver.capacity(AbortSignal.timeout(ANSWER_MS)).then(
      found => (known = found),
      () => known,
    )
    return asking
  }

  return {
    list: async () => (await types()) ?? [],
    async require(gpu) {
      // What was there once is waited for.
      const isKnown = (all: readonly Capacity[] | undefined) => gpu === 'cpu' || all?.some(type => type.gpu === gpu)
      if (isKnown(known)) return
      const found = await types()
      if (isKnown(found)) return
      if (found === undefined) throw fail('unavailable', 'The container engine does not answer.', { retryAfterS: 5 })
      const names = [...new Set(['cpu', ...found.map(type => type.gpu)])].join(', ')
      throw fail('invalid_parameter', `\`gpu\` must be one of ${names}.`, { param: 'gpu' })
    },
  }
}
