/**
 * A day's quota of an account, as data: who has a place, and since when. Which day a place is of, is in the id that has
 * it: two tries on both sides of midnight ask for the same place.
 */
import type { Document, Draft } from '@millhand/store'

/** Its id is the day, one of UTC: `2026-11-21`. */
export interface DailyRecord extends Document {
  readonly day: string
  /** From the one that was taken first on: the last `MOST_BY_NAME` of them. */
  readonly places: readonly QuotaPlace[]
  /** How many came before those. Whether their tasks are there was asked long ago. */
  readonly earlier: number
  readonly warned?: Warned | undefined
}

export interface QuotaPlace {
  readonly id: string
  /** When it was taken, the last time: milliseconds since 1970. Each time is later than the one before. */
  readonly at: number
}

/** Of the day's warnings, the last one. */
interface Warned {
  readonly limit: number
  /** By which of the steps, from 1. */
  readonly step: number
  /** The how manieth of the day. */
  readonly version: number
}

/** What one who asks for a place is told of it. */
export interface PlaceRequest {
  readonly id: string
  /** Null is as many as are wanted. */
  readonly limit: number | null
}

const DAY_MS = 86_400_000

/** What a document may reasonably hold: 700 KB. */
const MOST_BY_NAME = 10_000

/** Parts of the limit at which its account is warned. */
const STEPS = [0.8, 1] as const

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** When the day after begins. */
export const dayAfter = (day: string): number => Date.parse(day) + DAY_MS

export const usedOf = (record: Pick<DailyRecord, 'places' | 'earlier'> | undefined): number =>
  record ? record.earlier + record.places.length : 0

interface Taken {
  readonly record: Draft<DailyRecord>
  /** Of each who asked, in their order; undefined where none was left. */
  readonly places: readonly (QuotaPlace | undefined)[]
}

/** The day after all have asked, one after the other. Who has a place keeps it, as taken now. */
export function withPlaces(
  found: DailyRecord | undefined,
  { tenant, day }: { readonly tenant: string; readonly day: string },
  asked: readonly PlaceRequest[],
  now: number,
): Taken {
  const byId = new Map(found?.places.map(place => [place.id, place]))
  const earlier = found?.earlier ?? 0
  const places = asked.map(({ id, limit }) => {
    const before = byId.get(id)
    if (before === undefined && limit !== null && earlier + byId.size >= limit) return undefined
    const place = { id, at: Math.max(now, (before?.at ?? 0) + 1) }
    byId.set(id, place)
    return place
  })
  const all = [...byId.values()]
  const over = Math.max(0, all.length - MOST_BY_NAME)
  const limit = asked.at(-1)?.limit ?? null
  const warned = warnedAt(found?.warned, earlier + all.length, limit)
  return {
    record: { tenant, id: day, day, places: all.slice(over), earlier: earlier + over, ...(warned && { warned }) },
    places,
  }
}

/** The day without those places, as far as it has them as they are. */
export function withoutPlaces(found: DailyRecord, gone: readonly QuotaPlace[]): DailyRecord {
  const at = new Map(gone.map(place => [place.id, place.at]))
  return { ...found, places: found.places.filter(place => at.get(place.id) !== place.at) }
}

/** Each step of a limit is told of once; another limit has steps of its own. */
function warnedAt(before: Warned | undefined, used: number, limit: number | null): Warned | undefined {
  if (limit === null) return before
  const step = STEPS.filter(part => used >= part * limit).length
  const told = before?.limit === limit ? before.step : 0
  return step > told ? { limit, step, version: (before?.version ?? 0) + 1 } : before
}
