/** An invoice: what an account owes for a month. It is written once, and nothing replaces it. */
import { createHash } from 'node:crypto'
import { createIds } from '@millhand/api'
import type { Collection, CollectionSpec, Document, Draft, OutboxEvent } from '@millhand/store'
import type { PaymentRecord } from '../payment/payment.ts'
import type { LineSum } from './line.ts'
import { type Month, spanOf } from './month.ts'

export interface InvoiceRecord extends Document {
  /** Counts up from 1 within the account. */
  readonly number: number
  readonly month: Month
  readonly lines: readonly LineSum[]
  /** The sum of the lines, in micro-dollars. */
  readonly total_micros: number
  /** Milliseconds since 1970. */
  readonly finalized_at: number
}

/** An invoice before it has an id. */
export type NewInvoice = Omit<Draft<InvoiceRecord>, 'id'>

/** An invoice that is about to be stored, with its event, and the payment that begins with it. */
export type InvoiceDraft = Draft<InvoiceRecord> & {
  readonly events: readonly OutboxEvent[]
  readonly payment?: Draft<PaymentRecord>
}

export const invoicesSpec = {
  name: 'invoices',
  indexes: { by_month: { fields: ['tenant', 'month'] } },
} as const satisfies CollectionSpec

export type Invoices = Pick<Collection<InvoiceRecord, 'by_month'>, 'get' | 'find' | 'write'>

/** The same before and after the month has closed. Ids of an account sort by their months. */
export function invoiceId(tenant: string, month: Month): string {
  const { end } = spanOf(month)
  const random = (bytes: Uint8Array) =>
    void bytes.set(createHash('shake256', { outputLength: bytes.length }).update(`${tenant}/${month}`).digest())
  return createIds({ now: () => end, random })('inv')
}
