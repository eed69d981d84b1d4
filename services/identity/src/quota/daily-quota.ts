/**
 * Places in days' quotas: one document a day and tenant, changed by compare-and-set. So no two takers share a place,
 * whichever replicas they ask; those that ask one replica at once go in one write.
 */
import { backoff, type Clock, KeyedBatcher } from '@millhand/process'
import { type Collection, type CollectionSpec, type OutboxEvent, sweep } from '@millhand/store'
import type { Log } from '@millhand/telemetry'
import {
  type DailyRecord,
  dayOf,
  type PlaceRequest,
  type QuotaPlace,
  withoutPlaces,
  withPlaces,
} from './daily-quota-record.ts'

export type Daily = Collection<DailyRecord, 'by_day'>

export const dailySpec = {
  name: 'daily_quotas',
  indexes: { by_day: { fields: ['day'] } },
} as const satisfies CollectionSpec

interface Day {
  readonly tenant: string
  readonly day: string
}

export interface Days {
  /** A place in a day's quota, with how many are taken then; undefined where it has none left. */
  take(
    day: Day,
    asked: PlaceRequest,
    signal: AbortSignal,
  ): Promise<{ readonly place: QuotaPlace; readonly day: Used } | undefined>
  /** Gives places back that were not taken again since. Says how the day is then; undefined where nobody took one. */
  release(day: Day, places: readonly QuotaPlace[], signal: AbortSignal): Promise<DailyRecord | undefined>
}

type Used = Pick<DailyRecord, 'places' | 'earlier'>

export interface DaysDeps {
  readonly daily: Daily
  readonly clock: Clock
  /** From 0 up to 1. */
  readonly random: () => number
  /** What its account is told of a day that was changed. */
  readonly events: (before: DailyRecord | undefined, after: Omit<DailyRecord, 'version'>) => readonly OutboxEvent[]
}

/** One who waits for the write that others wait for, too. */
interface Taker {
  readonly asked: PlaceRequest
  readonly signal: AbortSignal
  readonly told: PromiseWithResolvers<{ readonly place: QuotaPlace; readonly day: Used } | undefined>
}

export function createDays({ daily, clock, random, events }: DaysDeps): Days {
  const batcher = new KeyedBatcher<Taker>()
  const waitMs = backoff({ baseMs: 5, maxMs: 250, random })

  async function takeAll(day: Day, all: readonly Taker[]): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const takers = all.filter(({ signal }) => !signal.aborted)
      if (takers.length === 0) return
      const found = await daily.get(day.tenant, day.day)
      const asked = takers.map(taker => taker.asked)
      const { record, places } = withPlaces(found, day, asked, clock.now())
      if (places.every(place => place === undefined) || (await written(found, record))) {
        for (const [at, place] of places.entries()) takers[at]?.told.resolve(place && { place, day: record })
        return
      }
      await clock.sleep(waitMs(attempt), never)
    }
  }

  async function written(found: DailyRecord | undefined, document: Omit<DailyRecord, 'version'>): Promise<boolean> {
    const told = events(found, document)
    const result = await daily.write(
      found
        ? { kind: 'replace', version: found.version, document, events: told }
        : { kind: 'insert', document, events: told },
    )
    return result.kind === 'written'
  }

  return {
    async take(day, asked, signal) {
      const told: Taker['told'] = Promise.withResolvers()
      const onAbort = () => told.reject(signal.reason)
      signal.addEventListener('abort', onAbort)
      const taker = { asked, signal, told }
      batcher.join(`${day.tenant}/${day.day}`, taker, all => takeAll(day, all)).catch(told.reject)
      try {
        return await told.promise
      } finally {
        signal.removeEventListener('abort', onAbort)
      }
    },
    async release(day, places, signal) {
      for (let attempt = 1; ; attempt++) {
        const found = await daily.get(day.tenant, day.day)
        if (found === undefined) return undefined
        const after = withoutPlaces(found, places)
        if (after.places.length === found.places.length || (await written(found, after))) return after
        await clock.sleep(waitMs(attempt), signal)
      }
    },
  }
}

/** Each who waits has a signal of their own. */
const never = new AbortController().signal

/** Removes days that nobody asks for any more, until the signal ends. */
export const removeOldDays = (
  { daily, clock, log }: Pick<DaysDeps, 'daily' | 'clock'> & { readonly log: Log },
  signal: AbortSignal,
): Promise<void> =>
  sweep(
    {
      name: dailySpec.name,
      collection: daily,
      index: 'by_day',
      range: () => ({ equals: [], before: [dayOf(clock.now() - KEPT_DAYS * 86_400_000)] }),
      everyMs: 3_600_000,
      clock,
      log,
    },
    signal,
  )

/** A month and what a month is late. */
const KEPT_DAYS = 40
