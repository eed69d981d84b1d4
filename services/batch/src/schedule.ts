/** When each batch that has not ended needs its next step. It is in memory: an owner begins with all of them at once. */
import type { Clock } from '@millhand/process'
import type { BatchRecord } from './batch.ts'
import { keyOf } from './items-store.ts'

type BatchRef = Pick<BatchRecord, 'tenant' | 'id'>

export interface Schedule {
  /** It needs a step at once, also where it was not known. */
  add(batch: BatchRef): void
  has(key: string): boolean
  /** One that is known needs a step at once. */
  hasten(key: string): void
  /** A step begins, or its end: it needs none until something else is said. */
  begin(key: string): void
  /** One that is known needs a step in so many milliseconds, unless it needs one before. */
  delay(key: string, ms: number): void
  /** It has ended. */
  remove(key: string): void
  due(): BatchRef[]
  /** How many of a tenant there are. */
  countOf(tenant: string): number
}

export function createSchedule(clock: Pick<Clock, 'monotonic'>): Schedule {
  const known = new Map<string, BatchRef & { at: number }>()
  const counts = new Map<string, number>()
  const count = (tenant: string, change: number) => {
    const sum = (counts.get(tenant) ?? 0) + change
    if (sum === 0) counts.delete(tenant)
    else counts.set(tenant, sum)
  }
  const setAt = (key: string, change: (at: number) => number) => {
    const entry = known.get(key)
    if (entry) entry.at = change(entry.at)
  }
  return {
    add({ tenant, id }) {
      const key = keyOf({ tenant, id })
      if (!known.has(key)) count(tenant, 1)
      known.set(key, { tenant, id, at: Number.NEGATIVE_INFINITY })
    },
    has: key => known.has(key),
    hasten: key => setAt(key, () => Number.NEGATIVE_INFINITY),
    begin: key => setAt(key, () => Number.POSITIVE_INFINITY),
    delay: (key, ms) => setAt(key, at => Math.min(at, clock.monotonic() + ms)),
    remove(key) {
      const entry = known.get(key)
      if (entry && known.delete(key)) count(entry.tenant, -1)
    },
    due: () => [...known.values()].filter(({ at }) => at <= clock.monotonic()),
    countOf: tenant => counts.get(tenant) ?? 0,
  }
}
