/** What billing keeps. */
import type { Database } from '@millhand/store'
import { type CalendarRecord, calendarSpec } from './ledger/calendar.ts'
import { type CreditRecord, creditsSpec } from './ledger/credit.ts'
import { type InvoiceRecord, invoicesSpec } from './ledger/invoice.ts'
import { type LedgerRecord, ledgersSpec } from './ledger/ledger.ts'
import { type PriceHistoryRecord, priceHistorySpec } from './ledger/price-history.ts'
import { openSpendingLimits } from './limits/spending-limits.ts'
import { type PaymentRecord, paymentsSpec } from './payment/payment.ts'
import { type EntryRecord, entriesSpec, instanceEntriesSpec, workforceEntriesSpec } from './usage/usage-entry.ts'
import { type HourRecord, hoursSpec, instanceHoursSpec, workforceHoursSpec } from './usage/usage-hour.ts'

export const collectionsOf = (db: Database) => ({
  ledgers: db.collection<LedgerRecord, 'due'>(ledgersSpec),
  limits: openSpendingLimits(db),
  prices: db.collection<PriceHistoryRecord>(priceHistorySpec),
  invoices: db.collection<InvoiceRecord, 'by_month'>(invoicesSpec),
  payments: db.collection<PaymentRecord, 'due'>(paymentsSpec),
  credits: db.collection<CreditRecord>(creditsSpec),
  calendar: db.collection<CalendarRecord>(calendarSpec),
  usage: {
    compute: {
      entries: db.collection<EntryRecord, 'by_end' | 'by_line'>(entriesSpec),
      hours: db.collection<HourRecord, 'due'>(hoursSpec),
    },
    workforce: {
      entries: db.collection<EntryRecord, 'by_end' | 'by_line'>(workforceEntriesSpec),
      hours: db.collection<HourRecord, 'due'>(workforceHoursSpec),
    },
    instances: {
      entries: db.collection<EntryRecord, 'by_end' | 'by_line'>(instanceEntriesSpec),
      hours: db.collection<HourRecord, 'due'>(instanceHoursSpec),
    },
  },
})
