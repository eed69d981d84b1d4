/**
 * The ids that have a place in a day's quota: one document a day and tenant, changed by compare-and-set. So no two takers
 * share a place, and an id that asks again has the place that it has. Which day it is of, is in the id: two tries on both
 * sides of midnight ask for the same place.
 */
import { backoff, type Clock } from '@millhand/runner'
import { type Collection, type CollectionSpec, type Document, sweep } from '@millhand/store'
import type { Log } from '@millhand/telemetry'

/** Its id is the day, one of UTC: `2026-11-21`. */
export interface DailyRecord extends Document {
  readonly day: string
  readonly ids: readonly string[]
}

export type Daily = Collection<DailyRecord, 'by_day'>

export const dailySpec = {
  name: 'daily_quotas',
  indexes: { by_day: { fields: ['day'] } },
} as const satisfies CollectionSpec

const DAY_MS = 86_400_000

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** When the day after begins. */
export const dayAfter = (day: string): number => Date.parse(day) + DAY_MS

interface DailyDeps {
  readonly daily: Daily
  readonly clock: Clock
  /** From 0 up to 1. */
  readonly random: () => number
}

/** A place in a day's quota, with how the day is then; undefined where it has none left. */
export async function takePlace(
  { daily, clock, random }: DailyDeps,
  { tenant, day, id, limit, signal }: { tenant: string; day: string; id: string; limit: number; signal: AbortSignal },
): Promise<DailyRecord | undefined> {
  const waitMs = backoff({ baseMs: 5, maxMs: 250, random })
  for (let attempt = 1; ; attempt++) {
    const found = await daily.get(tenant, day)
    if (found?.ids.includes(id)) return found
    const ids = found?.ids ?? []
    if (ids.length >= limit) return undefined
    const document = { tenant, id: day, day, ids: [...ids, id] }
    const change = found
      ? ({ kind: 'replace', version: found.version, document, events: [] } as const)
      : ({ kind: 'insert', document, events: [] } as const)
    const result = await daily.write(change)
    if (result.kind === 'written') return { ...document, version: result.version }
    await clock.sleep(waitMs(attempt), signal)
  }
}

/** Gives places back. Says how the day is then; undefined for one that nobody took a place of. */
export async function releasePlaces(
  { daily, clock, random }: DailyDeps,
  { tenant, day, ids, signal }: { tenant: string; day: string; ids: readonly string[]; signal: AbortSignal },
): Promise<DailyRecord | undefined> {
  const waitMs = backoff({ baseMs: 5, maxMs: 250, random })
  for (let attempt = 1; ; attempt++) {
    const found = await daily.get(tenant, day)
    if (!found?.ids.some(id => ids.includes(id))) return found
    const { version } = found
    const document = { ...found, ids: found.ids.filter(id => !ids.includes(id)) }
    const result = await daily.write({ kind: 'replace', version, document, events: [] })
    if (result.kind === 'written') return { ...document, version: result.version }
    await clock.sleep(waitMs(attempt), signal)
  }
}

/** Removes days that nobody asks for any more, until the signal ends. */
export const removeOldDays = (
  { daily, clock, log }: Pick<DailyDeps, 'daily' | 'clock'> & { readonly log: Log },
  signal: AbortSignal,
): Promise<void> =>
  sweep(
    {
      name: dailySpec.name,
      collection: daily,
      index: 'by_day',
      range: () => ({ equals: [], before: [dayOf(clock.now() - KEPT_DAYS * DAY_MS)] }),
      everyMs: 3_600_000,
      clock,
      log,
    },
    signal,
  )

/** A month and what a month is late. */
const KEPT_DAYS = 40
