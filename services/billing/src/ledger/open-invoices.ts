/** Invoices of months that have ended and not closed: what they come to if nothing more is heard of. */
import type { Prices } from '@millhand/plans'
import type { Draft } from '@millhand/store'
import type { PaymentRecord } from '../payment/payment.ts'
import { billOf } from './bill.ts'
import { type InvoiceRecord, invoiceId } from './invoice.ts'
import type { LedgerRecord } from './ledger.ts'
import { totalOf } from './line.ts'
import { monthAfter, monthOf, spanOf } from './month.ts'

/** An invoice, final or open: `finalized_at` says which. */
export type AnyInvoice = Omit<InvoiceRecord, 'finalized_at'> &
  Partial<Pick<InvoiceRecord, 'finalized_at'>> & {
    /** None where nothing is collected. */
    readonly payment?: Pick<PaymentRecord, 'status' | 'changed_at'> | undefined
  }

/** The earliest first. The sandbox has none. */
export function openInvoices(ledger: Draft<LedgerRecord>, now: number, prices: Prices): AnyInvoice[] {
  const { tenant, mode } = ledger
  const invoices: AnyInvoice[] = []
  if (mode === 'test') return invoices
  let number = ledger.next_number
  for (let month = ledger.open_from; month < monthOf(now); month = monthAfter(month)) {
    const lines = billOf(ledger, month, spanOf(month).end, prices)
    if (lines.length === 0 && number === 1) continue
    const id = invoiceId(tenant, month)
    invoices.push({ tenant, id, version: 0, number: number++, month, lines, total_micros: totalOf(lines) })
  }
  return invoices
}
