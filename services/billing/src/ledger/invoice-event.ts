/** The event of an invoice that is final, ready for the log. */
import { type Ids, jsonWriter, publicEvent } from '@millhand/api'
import { InvoiceSchema } from '@millhand/api/gen/millhand/billing/v1/billing_pb.ts'
import { publicTopics } from '@millhand/eventlog/public-topics'
import { newPayment } from '../payment/payment.ts'
import { listedInvoice } from '../rpc/invoice-message.ts'
import { type InvoiceDraft, invoiceId, type NewInvoice } from './invoice.ts'

const write = jsonWriter(InvoiceSchema)

/** The invoice with its id and its event, which have to be stored together, and its payment where it is to be collected. */
export function finalInvoice(invoice: NewInvoice, ids: Ids, isCollected = false): InvoiceDraft {
  const draft = { ...invoice, id: invoiceId(invoice.tenant, invoice.month) }
  const { tenant, id: key, finalized_at: time } = draft
  const payment = isCollected ? newPayment(draft) : undefined
  const [accountId = ''] = tenant.split('/')
  const event = publicEvent({
    ...{ topic: publicTopics.billing.name, key, id: ids('evt'), type: 'invoice.finalized', time },
    ...{ accountId, mode: 'live', resourceVersion: 1, object: write(listedInvoice({ ...draft, payment })) },
  })
  return { ...draft, events: [event], ...(payment && { payment }) }
}
