/** The payment of a final invoice: how far it is, and when the processor is asked next. */
import { dueMicros } from '@millhand/api'
import type { Collection, CollectionSpec, Document, Draft } from '@millhand/store'
import type { PaymentState, PaymentStatus } from './payment-processor.ts'

/** Its id is the invoice’s. The invoice itself never changes. */
export interface PaymentRecord extends Document {
  readonly number: number
  readonly month: string
  /** US cents, as the invoice’s `amount_due`; never 0. */
  readonly cents: number
  readonly status: PaymentStatus
  /** Since when the status is so, in milliseconds since 1970. */
  readonly changed_at: number
  /** `open`: the processor is asked at `due`. `ended`: nothing changes any more. */
  readonly state: 'open' | 'ended'
  /** Milliseconds since 1970. */
  readonly due: number
  /** How many calls have failed since the last that has not. */
  readonly failures: number
  /** The processor’s id of the invoice, once it is known. */
  readonly reference?: string
}

export const paymentsSpec = {
  name: 'billing_payments',
  indexes: { due: { fields: ['due'], when: { field: 'state', in: ['open'] } } },
} as const satisfies CollectionSpec

export type Payments = Pick<Collection<PaymentRecord, keyof typeof paymentsSpec.indexes>, 'get' | 'find' | 'write'>

/** Micro-dollars of a cent. */
const CENT = 10_000

interface FinalInvoice extends Draft<Document> {
  readonly number: number
  readonly month: string
  readonly total_micros: number
  readonly finalized_at: number
}

/** The payment of an invoice; undefined where nothing is due. */
export function newPayment(invoice: FinalInvoice): Draft<PaymentRecord> | undefined {
  const { tenant, id, number, month, total_micros, finalized_at: now } = invoice
  const cents = dueMicros(total_micros) / CENT
  if (cents === 0) return undefined
  return { tenant, id, number, month, cents, status: 'pending', changed_at: now, state: 'open', due: now, failures: 0 }
}

/** A payment that is not ended is looked at once a day: a notification may have been lost. */
const LOOK_MS = 86_400_000

/**
 * The payment after the processor has said something of it, in whatever order that is heard: what is paid or voided stays
 * so, and what has failed is not pending again. Unchanged where nothing is new.
 */
export function afterAnswer(
  payment: Draft<PaymentRecord>,
  { status, reference }: PaymentState,
  now: number,
): Draft<PaymentRecord> {
  const known = reference === undefined || reference === payment.reference ? payment : { ...payment, reference }
  const isStale = payment.state === 'ended' || (payment.status === 'failed' && status === 'pending')
  if (isStale || status === payment.status) return known
  return { ...known, status, changed_at: now, state: status === 'paid' || status === 'none' ? 'ended' : 'open' }
}

/** The payment, to be looked at again. */
export const lookedAt = (payment: Draft<PaymentRecord>, now: number): Draft<PaymentRecord> => ({
  ...payment,
  failures: 0,
  due: now + LOOK_MS,
})

const FIRST_RETRY_MS = 60_000
const LAST_RETRY_MS = 6 * 3_600_000

/** The payment after a call that has failed. It is tried again until one succeeds. */
export const afterFailure = (payment: Draft<PaymentRecord>, now: number): Draft<PaymentRecord> => ({
  ...payment,
  failures: payment.failures + 1,
  due: now + Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(payment.failures, 20)),
})
