/** The events of payments, ready for the log. */
import { type Ids, jsonWriter, publicEvent } from '@millhand/api'
import { InvoiceSchema } from '@millhand/api/gen/millhand/billing/v1/billing_pb.ts'
import { publicTopics } from '@millhand/eventlog/public-topics'
import type { OutboxEvent } from '@millhand/store'
import type { InvoiceRecord } from '../ledger/invoice.ts'
import { listedInvoice } from '../rpc/invoice-message.ts'
import type { PaymentRecord } from './payment.ts'

const write = jsonWriter(InvoiceSchema)

const types = { paid: 'invoice.paid', failed: 'invoice.payment_failed' } as const

/** Of a payment that was paid, or has failed; none of another status. `payment` has the version that it is going to have. */
export function paymentEvents(invoice: InvoiceRecord, payment: PaymentRecord, ids: Ids): OutboxEvent[] {
  const { status, changed_at: time, tenant, id: key } = payment
  if (status !== 'paid' && status !== 'failed') return []
  const [accountId = ''] = tenant.split('/')
  const event = publicEvent({
    ...{ topic: publicTopics.billing.name, key, id: ids('evt'), type: types[status], time, accountId, mode: 'live' },
    resourceVersion: 1 + payment.version, // The first version of the invoice is in `invoice.finalized`.
    object: write(listedInvoice({ ...invoice, payment })),
  })
  return [event]
}
