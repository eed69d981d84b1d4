/** How much of what may miss a target has missed it. */
import { timestampMs } from '@bufbuild/protobuf/wkt'
import { formatMs } from '@millhand/api'
import type { Day } from '@millhand/api/gen/millhand/status/v1/status_service_pb.ts'
import { BUDGET_DAYS } from './targets.ts'

export interface ErrorBudget {
  /** The window: so many days of UTC, today included. */
  readonly days: number
  /** Between these it was counted, by the status service's last answer; absent where nothing was. */
  readonly since?: string
  readonly until?: string
  /** Those of the window that count for the target. */
  readonly requests: number
  /** How many of them may miss it: maybe a part of one. */
  readonly allowed: number
  /** How many of them did. */
  readonly missed: number
  /** The share of `allowed` that has missed: over 1 the budget is overdrawn. Absent where nothing was counted. */
  readonly spent?: number
}

/**
 * The budget is one minus the target, times the requests of the window: with a target of 99.9 %, 1,000,000 requests have a
 * budget of 1,000 errors (Google's SRE workbook, https://sre.google/workbook/error-budget-policy/).
 */
export function errorBudget(
  days: readonly Day[],
  now: number,
  target: number,
  measure: (day: Day) => [requests: number, missed: number],
): ErrorBudget {
  const [first, last] = [dayBefore(now, BUDGET_DAYS - 1), dayBefore(now, 0)]
  const counted = days.filter(({ day }) => day >= first && day <= last)
  const measures = counted.map(measure)
  const requests = measures.reduce((sum, [all]) => sum + all, 0)
  const missed = measures.reduce((sum, [, some]) => sum + some, 0)
  const allowed = requests * (1 - target)
  return {
    days: BUDGET_DAYS,
    ...between(counted),
    requests,
    allowed: rounded(allowed),
    missed,
    ...(requests > 0 && { spent: rounded(missed / allowed) }),
  }
}

/** Takes the error of binary fractions out: 1 - 0.999 is a little more than 0.001. */
const rounded = (value: number): number => Math.round(value * 1e6) / 1e6

function between(days: readonly Day[]) {
  const since = days.flatMap(day => day.since ?? []).map(timestampMs)
  const until = days.flatMap(day => day.updatedAt ?? []).map(timestampMs)
  return {
    ...(since.length > 0 && { since: formatMs(Math.min(...since)) }),
    ...(until.length > 0 && { until: formatMs(Math.max(...until)) }),
  }
}

const DAY_MS = 86_400_000

/** The UTC day so many days before: `2026-11-21`. */
export const dayBefore = (now: number, days: number): string => new Date(now - days * DAY_MS).toISOString().slice(0, 10)
