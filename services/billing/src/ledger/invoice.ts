/** An invoice: what an account owes for a month. It is written once, and nothing replaces it. */
import type { Collection, CollectionSpec, Document, Draft, OutboxEvent } from '@millhand/store'
import type { LineSum } from './line.ts'
import type { Month } from './month.ts'

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

/** An invoice that is about to be stored, with its event. */
export type InvoiceDraft = Draft<InvoiceRecord> & { readonly events: readonly OutboxEvent[] }

export const invoicesSpec = { name: 'invoices', indexes: {} } as const satisfies CollectionSpec

export type Invoices = Pick<Collection<InvoiceRecord>, 'get' | 'find' | 'write'>
