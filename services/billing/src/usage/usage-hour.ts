/**
 * What a tenant's tasks used that ended in one hour, as far as it is summed. docs/decisions/usage.md says why no entry
 * is ever left out of a sum, or in it twice.
 */
import { formatMs } from '@millhand/api'
import type { Collection, CollectionSpec, Document, Draft } from '@millhand/store'
import type { Line } from './usage-sum.ts'

export const HOUR_MS = 3_600_000

/** How long after its end a task's entry is waited for: one that comes later makes the sum of its hour begin anew. */
export const SETTLES_AFTER_MS = 60_000

/** `2026-11-21T07`, UTC. */
export const hourId = (ms: number): string => formatMs(ms).slice(0, 13)

export const hourOf = (ms: number): number => Math.floor(ms / HOUR_MS) * HOUR_MS

export interface HourRecord extends Document {
  /**
   * `open`: entries are to be added. `summed`: `lines` is all. `closing`: final; its entries are being removed.
   * `closed`: they are gone.
   */
  readonly state: 'open' | 'summed' | 'closing' | 'closed'
  /** When the hour begins, in milliseconds since 1970, like every time here. */
  readonly start: number
  /** The sums of the tasks that ended before `summed_to`. */
  readonly lines: readonly Line[]
  readonly summed_to: number
  /** Entries of tasks that ended before it are being read: one that comes now may not be among them. */
  readonly announced_to: number
  /** When there is something to be done with it; not in `closed`. */
  readonly due?: number
}

export const hoursSpec = {
  name: 'usage_hours',
  indexes: { due: { fields: ['due'], when: { field: 'state', in: ['open', 'summed', 'closing'] } } },
} as const satisfies CollectionSpec

/** The same of the workforce's tasks. */
export const workforceHoursSpec = { ...hoursSpec, name: 'workforce_usage_hours' } as const

/** The same of instances. */
export const instanceHoursSpec = { ...hoursSpec, name: 'instance_usage_hours' } as const

export type Hours = Pick<Collection<HourRecord, keyof typeof hoursSpec.indexes>, 'get' | 'find' | 'write'>

const endOf = ({ start }: Pick<HourRecord, 'start'>): number => start + HOUR_MS

export function newHour(tenant: string, start: number, now: number): Draft<HourRecord> {
  return { ...unsummed(start, now), tenant, id: hourId(start), start }
}

/** Nothing of it is summed; it is to be summed once it is over and has settled. */
const unsummed = (start: number, now: number) => ({
  state: 'open' as const,
  lines: [],
  summed_to: start,
  announced_to: start,
  due: Math.max(now, start + HOUR_MS) + SETTLES_AFTER_MS,
})

/**
 * The hour after an entry of a task that ended at `finishedAt` was stored: `unchanged` where whoever sums will see it,
 * `too_late` where nothing can be added any more.
 */
export function withEntry(hour: HourRecord, finishedAt: number, now: number): HourRecord | 'unchanged' | 'too_late' {
  if (hour.state === 'closing' || hour.state === 'closed') return 'too_late'
  if (finishedAt >= hour.announced_to) return 'unchanged'
  return { ...hour, ...unsummed(hour.start, now) }
}

/** The hour before its entries up to what has settled are read; undefined where that is summed already. */
export function announced(hour: HourRecord, now: number): HourRecord | undefined {
  const settled = Math.min(endOf(hour), now - SETTLES_AFTER_MS)
  return hour.state === 'open' && settled > hour.summed_to ? { ...hour, announced_to: settled } : undefined
}

/** The hour with the sums of all entries before what was announced. Its entries are kept for `keptMs` from now. */
export function summed(hour: HourRecord, lines: readonly Line[], now: number, keptMs: number): HourRecord {
  const soFar = { ...hour, lines, summed_to: hour.announced_to }
  return hour.announced_to < endOf(hour) ? soFar : { ...soFar, state: 'summed', due: now + keptMs }
}

export const closing = (hour: HourRecord): HourRecord => ({ ...hour, state: 'closing' })

export function closed({ due: _, ...hour }: HourRecord): HourRecord {
  return { ...hour, state: 'closed' }
}

/** From when until when entries count that are not in `lines`. */
export const rest = (hour: HourRecord): { readonly start: number; readonly end: number } =>
  hour.state === 'open' ? { start: hour.summed_to, end: endOf(hour) } : { start: endOf(hour), end: endOf(hour) }
