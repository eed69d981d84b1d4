/** What of ours Stripe's objects carry, and what they say. */
import type { Stripe } from 'stripe'
import type { PaymentStatus } from '../payment-processor.ts'

const ACCOUNT = 'millhand_account'
const INVOICE = 'millhand_invoice'

export const metadataOf = (accountId: string, invoiceId?: string): Record<string, string> => ({
  [ACCOUNT]: accountId,
  ...(invoiceId !== undefined && { [INVOICE]: invoiceId }),
})

type WithMetadata = { readonly metadata?: Stripe.Metadata | null }

export const accountOf = ({ metadata }: WithMetadata): string | undefined => metadata?.[ACCOUNT]

/** Whose invoice it is; undefined where it is none of ours. */
export function ourInvoice({
  metadata,
}: WithMetadata): { readonly accountId: string; readonly invoiceId: string } | undefined {
  const [accountId, invoiceId] = [metadata?.[ACCOUNT], metadata?.[INVOICE]]
  if (typeof accountId !== 'string' || typeof invoiceId !== 'string') return undefined
  return { accountId, invoiceId }
}

/** Of an open invoice it does not say whether a payment has failed or is under way: a notification does. */
export function statusOf({ status }: Pick<Stripe.Invoice, 'status'>): PaymentStatus {
  if (status === 'paid') return 'paid'
  if (status === 'void') return 'none'
  return status === 'uncollectible' ? 'failed' : 'pending'
}
