import type { HandlerContext } from '@connectrpc/connect'
import { type Cursors, fail } from '@millhand/api'
import type {
  GetInvoiceRequest,
  Invoice,
  ListInvoicesRequest,
  ListInvoicesResponse,
} from '@millhand/api/gen/millhand/billing/v1/billing_pb.ts'
import { principal } from '@millhand/rpc'
import { readPage } from '@millhand/store'
import type { Invoices } from '../ledger/invoice.ts'
import { invoiceMessage, listedInvoice } from './invoice-message.ts'

export const getInvoice =
  ({ invoices }: { readonly invoices: Invoices }) =>
  async ({ id }: GetInvoiceRequest, call: HandlerContext): Promise<Invoice> => {
    const invoice = await invoices.get(principal(call).tenant, id)
    if (!invoice) throw fail('not_found', `There is no invoice \`${id.slice(0, 64)}\`.`)
    return invoiceMessage(invoice)
  }

/** Invoices are few, and never come out of order: the ledger makes one after the other. */
export const listInvoices =
  ({ invoices, cursors }: { readonly invoices: Invoices; readonly cursors: Cursors }) =>
  async (request: ListInvoicesRequest, call: HandlerContext): Promise<ListInvoicesResponse> => {
    const { data, more } = await readPage({
      find: (index, query) => invoices.find(index, query),
      tenant: principal(call).tenant,
      range: { after: undefined, before: undefined },
      list: ['invoices'],
      ...{ cursors, request },
    })
    return { $typeName: 'millhand.billing.v1.ListInvoicesResponse', data: data.map(listedInvoice), ...more }
  }
