/** A bill: all lines of a month, of its usage and of the subscriptions. Invoices and `GET /v1/billing` are made of it. */
import { families } from '@millhand/api'
import type { Prices } from '@millhand/plans'
import type { Draft } from '@millhand/store'
import type { BilledMonth, LedgerRecord } from './ledger.ts'
import { keyText, type LineSum } from './line.ts'
import { type Month, monthBefore, monthOf, spanOf } from './month.ts'
import { plansSince, subscriptionLines } from './subscription.ts'

/** The lines of an open month, of the subscriptions until a time. In the order of their keys. */
export function billOf(ledger: Draft<LedgerRecord>, month: Month, until: number, prices: Prices): LineSum[] {
  const usage = ledger.months.find(sums => sums.month === month)?.lines ?? []
  const corrections = month === ledger.open_from ? correctionsOf(ledger, prices) : []
  const lines = [...usage, ...subscriptionLines(ledger, month, until, prices), ...corrections]
  const byKey = lines.map(line => [keyText(line), line] as const).sort(([a], [b]) => (a < b ? -1 : 1))
  // What cancelled tasks used, for one.
  return byKey
    .map(([, line]) => line)
    .filter(({ kind, quantity, micros }) => kind === 'subscription' || quantity > 0 || micros !== 0)
}

/** What the plans of closed months cost by what is known now, less what was billed. */
function correctionsOf(ledger: Draft<LedgerRecord>, prices: Prices): LineSum[] {
  const months = new Set([...ledger.billed.map(({ month }) => month), ...monthsToCorrect(ledger)])
  return [...months].flatMap(month => {
    const now = subscriptionsOf(ledger, month, prices)
    const before = ledger.billed.find(billed => billed.month === month)?.subscriptions ?? {}
    return families.flatMap((family): LineSum[] => {
      const micros = (now.subscriptions[family] ?? 0) - (before[family] ?? 0)
      if (micros === 0) return []
      const key = { family, kind: 'adjustment', of: 'subscription', of_time: month } as const
      return [{ ...key, quantity: 0, micros, would_micros: micros }]
    })
  })
}

/** How many closed months changes of plans may alter: they come up to 45 days late. */
const CORRECTED_MONTHS = 3

export function monthsToCorrect({ open_from, plans }: Pick<LedgerRecord, 'open_from' | 'plans'>): Month[] {
  const [first] = plans
  const months: Month[] = []
  for (let month = monthBefore(open_from); months.length < CORRECTED_MONTHS; month = monthBefore(month)) {
    if (first === undefined || month < monthOf(first.at)) break
    months.unshift(month)
  }
  return months
}

/** What the subscriptions of a whole month cost. */
export function subscriptionsOf(
  history: Pick<LedgerRecord, 'plans' | 'first_tasks'>,
  month: Month,
  prices: Prices,
): BilledMonth {
  const subscriptions: Partial<Record<(typeof families)[number], number>> = {}
  for (const { family, micros } of subscriptionLines(history, month, spanOf(month).end, prices))
    subscriptions[family] = (subscriptions[family] ?? 0) + micros
  return { month, subscriptions }
}

/** Events come at most so late. */
const LATE_MS = 45 * 86_400_000

/**
 * The ledger without the plans that no event can change any more: those of closed months, until 45 days ago. What is to be
 * corrected by then stays so: `billed` goes with the plans.
 */
export function withFoldedPlans(ledger: Draft<LedgerRecord>, now: number, prices: Prices): Draft<LedgerRecord> {
  const plans = plansSince(ledger.plans, Math.min(now - LATE_MS, spanOf(ledger.open_from).start))
  const [first] = plans
  if (first === undefined || plans.length === ledger.plans.length) return ledger
  const billed = ledger.billed.map(({ month, subscriptions }) => {
    const [before, after] = [ledger, { ...ledger, plans }].map(
      each => subscriptionsOf(each, month, prices).subscriptions,
    )
    const kept = families.map(family => {
      const micros = (subscriptions[family] ?? 0) - (before?.[family] ?? 0) + (after?.[family] ?? 0)
      return [family, micros] as const
    })
    return { month, subscriptions: Object.fromEntries(kept.filter(([, micros]) => micros !== 0)) }
  })
  return { ...ledger, plans, plans_from: first.resource_version, billed }
}
