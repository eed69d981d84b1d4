/** Notifications of Stripe: https://docs.stripe.com/webhooks. */
import { fail } from '@millhand/api'
import type { Clock } from '@millhand/process'
import { Stripe } from 'stripe'
import type { PaymentReport, PaymentStatus } from '../payment-processor.ts'
import { ourInvoice } from './stripe-objects.ts'

export interface NotificationKey {
  /** The secret of the endpoint, `whsec_…`. */
  readonly webhookSecret: string
  readonly clock: Pick<Clock, 'now'>
}

/** Seconds for which a signature is good, as Stripe recommends. A notification that comes again later changes nothing. */
const TOLERANCE_S = 300

const statuses: ReadonlyMap<unknown, PaymentStatus> = new Map([
  ['invoice.paid', 'paid'],
  ['invoice.payment_failed', 'failed'],
  ['invoice.voided', 'none'],
])

/** The report of a notification; undefined for one of something else. Fails with `invalid_parameter`. */
export async function readNotification(
  { webhookSecret, clock }: NotificationKey,
  body: Uint8Array,
  signature: string,
): Promise<PaymentReport | undefined> {
  const event = verified(body, signature, webhookSecret, clock.now())
  const status = statuses.get(event?.type)
  const invoice = event?.data?.object
  const ours = ourInvoice(invoice?.metadata)
  if (status === undefined || ours === undefined || typeof invoice?.id !== 'string') return undefined
  return { ...ours, reference: invoice.id, status }
}

/** What is read of an event. Any JSON may be signed: the endpoint gets the events that somebody has chosen at Stripe. */
interface SignedEvent {
  readonly type?: unknown
  readonly data?: { readonly object?: { readonly id?: unknown; readonly metadata?: unknown } | null } | null
}

/** The library's error holds the body, so it is no cause of ours. */
function verified(body: Uint8Array, signature: string, secret: string, now: number): SignedEvent | null {
  const { webhooks } = Stripe
  try {
    return webhooks.constructEvent(body, signature, secret, TOLERANCE_S, undefined, now) as SignedEvent | null
  } catch {
    const detail = 'The signature is not the payment processor’s, or it is more than 5 minutes old.'
    throw fail('invalid_parameter', detail, { param: 'Stripe-Signature' })
  }
}
