/** What of ours Stripe's objects carry, and what they say. */
import type { Stripe } from 'stripe'
import type { PaymentStatus } from '../payment-processor.ts'

const ACCOUNT = 'millhand_account'
const INVOICE = 'millhand_invoice'

export const metadataOf = (accountId: string, invoiceId?: string): Record<string, string> => ({
  [ACCOUNT]: accountId,
  ...(invoiceId !== undefined && { [INVOICE]: invoiceId }),
})

export const accountOf = ({ metadata }: Pick<Stripe.Customer, 'metadata'>): string | undefined => metadata[ACCOUNT]

/** Whose invoice has this metadata; undefined where it is none of ours. */
export function ourInvoice(metadata: unknown): { readonly accountId: string; readonly invoiceId: string } | undefined {
  if (typeof metadata !== 'object' || metadata === null) return undefined
  const { [ACCOUNT]: accountId, [INVOICE]: invoiceId } = metadata as Readonly<Record<string, unknown>>
  if (typeof accountId !== 'string' || typeof invoiceId !== 'string') return undefined
  return { accountId, invoiceId }
}

/** Of an open invoice it does not say whether a payment has failed or is under way: a notification does. */
export function statusOf({ status }: Pick<Stripe.Invoice, 'status'>): PaymentStatus {
  if (status === 'paid') return 'paid'
  if (status === 'void') return 'none'
  return status === 'uncollectible' ? 'failed' : 'pending'
}
