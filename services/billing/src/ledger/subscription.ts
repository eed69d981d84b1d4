/** What subscriptions cost: a fold over the plans that an account has had, by the second. */
import { type Family, families, proratedMicros, type Span } from '@millhand/api'
import type { Prices } from '@millhand/plans'
import type { LedgerRecord, PlanChange } from './ledger.ts'
import type { LineSum } from './line.ts'
import { type Month, spanOf } from './month.ts'

/** A time in which an account had one plan at one price. */
interface Segment extends Span {
  readonly plan: string
  readonly micros: number
  readonly isFromFirstTask: boolean
}

type History = Pick<LedgerRecord, 'plans' | 'first_tasks'>

/** The subscriptions of a month until a time, one line for each plan and price. None of a time of suspension. */
export function subscriptionLines(history: History, month: Month, until: number, prices: Prices): LineSum[] {
  const period = spanOf(month)
  const firstTask = history.first_tasks?.[month] ?? Number.POSITIVE_INFINITY
  return families.flatMap(family => {
    const lines = new Map<string, LineSum>()
    const span = { ...period, end: Math.min(period.end, until) }
    for (const whole of segmentsOf(family, history.plans, span, prices)) {
      const segment = whole.isFromFirstTask ? { ...whole, start: Math.max(whole.start, firstTask) } : whole
      if (segment.start >= segment.end) continue
      const { plan, micros, start, end } = segment
      const key = `${plan} ${micros}`
      const before = lines.get(key)
      const cost = proratedMicros(micros, period, segment)
      lines.set(key, {
        family,
        kind: 'subscription',
        plan,
        unit_micros: micros,
        quantity: (before?.quantity ?? 0) + Math.floor(end / 1000) - Math.floor(start / 1000),
        micros: (before?.micros ?? 0) + cost,
        would_micros: (before?.would_micros ?? 0) + cost,
      })
    }
    return [...lines.values()]
  })
}

function segmentsOf(family: Family, plans: readonly PlanChange[], span: Span, prices: Prices): Segment[] {
  const segments: Segment[] = []
  for (const [at, change] of plans.entries()) {
    const start = Math.max(span.start, change.at)
    const end = Math.min(span.end, plans[at + 1]?.at ?? span.end)
    const cuts = start < end && !change.suspended ? [start, ...prices.changes(start, end), end] : []
    for (const [n, from] of cuts.slice(0, -1).entries()) {
      const plan = change[family]
      const micros = prices.subscription(family, plan, from)
      const isFromFirstTask = prices.isFromFirstTask(family, plan, from)
      const last = segments.at(-1)
      const to = cuts[n + 1] as number
      const goesOn = last?.end === from && last.plan === plan && last.micros === micros
      if (goesOn && last.isFromFirstTask === isFromFirstTask) segments[segments.length - 1] = { ...last, end: to }
      else segments.push({ plan, micros, isFromFirstTask, start: from, end: to })
    }
  }
  return segments
}

/**
 * The history with a change more, wherever it belongs; what is there is told again. Versions tell the order: a clock may have
 * gone back between two changes, and then the later one holds from the time of the earlier.
 */
export function withPlanChange(plans: readonly PlanChange[], change: PlanChange): readonly PlanChange[] | undefined {
  if (plans.some(({ resource_version }) => resource_version === change.resource_version)) return undefined
  const ordered = [...plans, change].sort((a, b) => a.resource_version - b.resource_version)
  let at = Number.NEGATIVE_INFINITY
  return ordered.map(each => {
    at = Math.max(at, each.at)
    return each.at === at ? each : { ...each, at }
  })
}

/** The changes that matter from a time on: those after it, and the last one before. */
export const plansSince = (plans: readonly PlanChange[], time: number): readonly PlanChange[] =>
  plans.slice(
    Math.max(
      0,
      plans.findLastIndex(({ at }) => at <= time),
    ),
  )
