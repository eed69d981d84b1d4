/** Shares of the last 90 days, day by day and together. */
import type { Day } from '@millhand/api/gen/millhand/status/v1/status_service_pb.ts'
import { dayBefore } from '../../status/error-budget.ts'

/** Each of the last 90 days, today's last. */
export type Days = readonly DayMeasure[]

export interface DayMeasure {
  /** `2026-11-21`, UTC. */
  readonly day: string
  /** What there was: requests, or seconds in which it was looked at, of all gateways together. */
  readonly total: number
  /** What of it was not as it should be. */
  readonly missed: number
}

const DAYS = 90

/** How long a component was there, in seconds. */
export function uptimeOf(days: readonly Day[], component: string, now: number) {
  const { share, days: measures } = measuredBy(days, now, ({ components }) => {
    const { upMs = 0, downMs = 0 } = components.find(({ name }) => name === component) ?? {}
    return [Math.round((upMs + downMs) / 1_000), Math.round(downMs / 1_000)]
  })
  return { ...(share !== undefined && { uptime: share }), days: measures }
}

/** What was counted, and what of that was missed. */
export function measuredBy(days: readonly Day[], now: number, measure: (day: Day) => [total: number, missed: number]) {
  const known = new Map(days.map(day => [day.day, measure(day)]))
  const measures: DayMeasure[] = []
  for (let ago = DAYS - 1; ago >= 0; ago--) {
    const day = dayBefore(now, ago)
    const [total, missed] = known.get(day) ?? [0, 0]
    measures.push({ day, total, missed })
  }
  const total = sum(measures, each => each.total)
  const missed = sum(measures, each => each.missed)
  return { ...(total > 0 && { share: 1 - missed / total }), days: measures }
}

const sum = <T>(items: readonly T[], value: (item: T) => number) => items.reduce((so, item) => so + value(item), 0)
