/** Invoices as the contract shows them. */
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { dueMicros } from '@millhand/api'
import { type Invoice, InvoiceStatus } from '@millhand/api/gen/millhand/billing/v1/billing_pb.ts'
import { type InvoicePayment, PaymentStatus } from '@millhand/api/gen/millhand/billing/v1/payment_pb.ts'
import type { Draft } from '@millhand/store'
import type { AnyInvoice } from '../ledger/open-invoices.ts'
import { lineMessage, periodMessage } from './line-message.ts'
import { moneyMessage } from './money-message.ts'

/** As lists show it: without its lines. */
export const listedInvoice = ({
  id,
  number,
  month,
  total_micros,
  finalized_at,
  payment,
}: Draft<AnyInvoice>): Invoice => ({
  $typeName: 'millhand.billing.v1.Invoice',
  id,
  number,
  status: finalized_at === undefined ? InvoiceStatus.OPEN : InvoiceStatus.FINAL,
  period: periodMessage(month),
  lines: [],
  total: moneyMessage(total_micros),
  amountDue: moneyMessage(dueMicros(total_micros)),
  ...(finalized_at !== undefined && { finalizedAt: timestampFromMs(finalized_at) }),
  payment: paymentMessage(payment),
})

const paymentMessage = (payment: AnyInvoice['payment']): InvoicePayment => ({
  $typeName: 'millhand.billing.v1.InvoicePayment',
  status: paymentStatuses[payment?.status ?? 'none'],
  ...(payment && { changedAt: timestampFromMs(payment.changed_at) }),
})

const paymentStatuses = {
  none: PaymentStatus.NONE,
  pending: PaymentStatus.PENDING,
  paid: PaymentStatus.PAID,
  failed: PaymentStatus.FAILED,
} as const

export const invoiceMessage = (invoice: AnyInvoice): Invoice => ({
  ...listedInvoice(invoice),
  lines: invoice.lines.map(line => lineMessage(invoice.tenant, invoice.month, line)),
})
