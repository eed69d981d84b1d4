/** Closes months: the ledger of an account becomes an invoice, once it is due. */

import type { Prices } from '@millhand/plans'
import { type Clock, everyInterval } from '@millhand/process'
import type { Draft } from '@millhand/store'
import type { Log } from '@millhand/telemetry'
import { billOf, monthsToCorrect, subscriptionsOf, withFoldedPlans } from './bill.ts'
import type { InvoiceDraft, NewInvoice } from './invoice.ts'
import { type BilledMonth, closesAt, type LedgerRecord, type Ledgers, withoutMonth } from './ledger.ts'
import { totalOf } from './line.ts'
import { spanOf } from './month.ts'
import type { Posting } from './posting.ts'

export interface ClosingDeps {
  readonly ledgers: Ledgers
  readonly posting: Posting
  readonly prices: Prices
  readonly log: Log
  readonly graceMs: number
  /** Gives an invoice its id and its event. */
  readonly finalize: (invoice: NewInvoice) => InvoiceDraft
}

const EVERY_MS = 60_000
const AT_ONCE = 20

/** Closes what is due at a time, once. Any number of processes may do so at once. */
export async function closeDueMonths(deps: ClosingDeps, now: number, signal: AbortSignal): Promise<void> {
  const { ledgers, log } = deps
  for (let after: readonly (number | string)[] = [0]; !signal.aborted; ) {
    const due = await ledgers.find('due', { equals: [], after, before: [now + 1], limit: AT_ONCE })
    await Promise.all(
      due.map(({ tenant }) =>
        closeMonths(deps, tenant, now).catch(error => log.error('billing.closing_failed', { tenant, error })),
      ),
    )
    const last = due.at(-1)
    if (last === undefined || due.length < AT_ONCE) return
    after = [last.due, last.tenant, last.id]
  }
}

/** The same again and again, until the signal ends. Never rejects. `now` is the time that may be relied on. */
export const runClosing = (
  deps: ClosingDeps & { readonly clock: Clock; readonly now: () => Promise<number> },
  signal: AbortSignal,
): Promise<void> =>
  everyInterval(deps.clock, EVERY_MS, signal, () =>
    deps
      .now()
      .then(now => closeDueMonths(deps, now, signal))
      .catch(error => deps.log.error('billing.closing_failed', { error })),
  )

/**
 * A ledger stays due until its invoice is stored, which a change waits for before the next begins: a process that dies in
 * between leaves it to the next pass.
 */
async function closeMonths(deps: ClosingDeps, tenant: string, now: number): Promise<void> {
  const { posting, graceMs } = deps
  for (let isDue = true; isDue; ) {
    await posting.change(tenant, ledger => {
      isDue = ledger.due <= now
      if (!isDue) return undefined
      const due = closesAt(ledger.open_from, graceMs)
      return due > now ? { ...ledger, due } : closed(deps, ledger, now)
    })
  }
}

/** The ledger after its first open month. The sandbox has no invoices. */
function closed({ prices, finalize }: ClosingDeps, ledger: Draft<LedgerRecord>, now: number): Draft<LedgerRecord> {
  const { open_from: month, tenant, next_number: number } = ledger
  const next = withoutMonth(ledger)
  const lines = billOf(ledger, month, spanOf(month).end, prices)
  if (ledger.mode === 'test' || (lines.length === 0 && number === 1)) return next
  const total_micros = totalOf(lines)
  const closing = finalize({ tenant, number, month, lines, total_micros, finalized_at: now })
  // The corrections until now are on this invoice.
  const billed = monthsToCorrect(next).map(each => subscriptionsOf(next, each, prices))
  const after = { ...next, closing, next_number: number + 1, billed, first_tasks: firstTasksSince(ledger, billed) }
  return withFoldedPlans(after, now, prices)
}

/** Those of months whose subscriptions may still change. */
const firstTasksSince = ({ first_tasks = {} }: Draft<LedgerRecord>, billed: readonly BilledMonth[]) => {
  const [oldest] = billed
  return Object.fromEntries(
    Object.entries(first_tasks).filter(([month]) => oldest === undefined || month >= oldest.month),
  )
}
