/** The ledger of a tenant: docs/decisions/billing.md says why nothing is ever in it twice, or missing. */
import type { Family, PlanNames } from '@millhand/api'
import type { Collection, CollectionSpec, Document, Draft } from '@millhand/store'
import type { CreditRecord } from './credit.ts'
import type { InvoiceDraft } from './invoice.ts'
import type { LineSum } from './line.ts'
import { type Month, monthAfter, monthOf, spanOf } from './month.ts'

export interface LedgerRecord extends Document {
  readonly mode: 'live' | 'test'
  /** The first month that has not closed. */
  readonly open_from: Month
  /** When there is something to be closed, in milliseconds since 1970. */
  readonly due: number
  /** The running sums of the open months, the earliest first; none of subscriptions. */
  readonly months: readonly MonthSums[]
  /** The entries of the latest posting, packed (pending.ts): they may not be stored yet. */
  readonly pending: string
  /** The invoice of the latest closing: it may not be stored yet. */
  readonly closing?: InvoiceDraft | undefined
  /** The latest credit: it may not be stored yet. */
  readonly crediting?: Draft<CreditRecord> | undefined
  readonly next_number: number
  /** The plans since when, the earliest first. */
  readonly plans: readonly PlanChange[]
  /** The first version that is kept of them: earlier ones matter no more, and are not noted when they are told again. */
  readonly plans_from?: number | undefined
  /** When the first workforce task of a month ended that used something, as long as that may alter a bill. */
  readonly first_tasks?: Readonly<Record<Month, number>> | undefined
  /** What was billed of the subscriptions of closed months, as long as late changes of plans may alter it. */
  readonly billed: readonly BilledMonth[]
}

export interface MonthSums {
  readonly month: Month
  readonly lines: readonly LineSum[]
}

export interface PlanChange extends PlanNames {
  /** Milliseconds since 1970. */
  readonly at: number
  /** The account's, of which each is told once. */
  readonly resource_version: number
  readonly event_id: string
  /** Nothing is charged meanwhile. */
  readonly suspended?: true
}

export interface BilledMonth {
  readonly month: Month
  /** Micro-dollars. */
  readonly subscriptions: Readonly<Partial<Record<Family, number>>>
}

export const LEDGER_ID = 'ledger'

export const ledgersSpec = {
  name: 'ledgers',
  indexes: { due: { fields: ['due'], when: { field: 'mode', in: ['live', 'test'] } } },
} as const satisfies CollectionSpec

export type Ledgers = Pick<Collection<LedgerRecord, keyof typeof ledgersSpec.indexes>, 'get' | 'find' | 'write'>

/** One in which nothing is posted. Months that would have closed by now are not opened any more. */
export function newLedger(tenant: string, now: number, graceMs: number): Draft<LedgerRecord> {
  const open_from = monthOf(now - graceMs)
  return {
    tenant,
    id: LEDGER_ID,
    mode: tenant.endsWith('/test') ? 'test' : 'live',
    open_from,
    due: closesAt(open_from, graceMs),
    months: [],
    pending: '',
    next_number: 1,
    plans: [],
    billed: [],
  }
}

/**
 * The ledger as it is at a time. A clock that was ahead has opened it from a month that is to come: as long as it has no
 * invoice, it is opened from the month of this time. Else what is used until then would be late on a later bill, and count
 * for no limit.
 */
export function reopened(ledger: LedgerRecord, now: number, graceMs: number): Draft<LedgerRecord> {
  const open_from = monthOf(now - graceMs)
  if (ledger.next_number > 1 || ledger.open_from <= open_from) return ledger
  return { ...ledger, open_from, due: closesAt(open_from, graceMs) }
}

/** The month in which something is billed that happened at a time. */
export const billedIn = ({ open_from }: Pick<LedgerRecord, 'open_from'>, at: number): Month => {
  const month = monthOf(at)
  return month < open_from ? open_from : month
}

/** When a month closes. */
export const closesAt = (month: Month, graceMs: number): number => spanOf(month).end + graceMs

/** The ledger without the sums of its first open month. It is due as it was. */
export const withoutMonth = (ledger: Draft<LedgerRecord>): Draft<LedgerRecord> => {
  const open_from = monthAfter(ledger.open_from)
  return { ...ledger, open_from, months: ledger.months.filter(({ month }) => month >= open_from) }
}
