import type { HandlerContext } from '@connectrpc/connect'
import type { InvoiceRendition, RenderInvoiceRequest } from '@millhand/api/gen/millhand/billing/v1/billing_pb.ts'
import { principal } from '@millhand/rpc'
import type { BillDeps } from '../billing-deps.ts'
import { invoiceCsv } from '../rendition/invoice-csv.ts'
import { createPdfRenderer } from '../rendition/render-pdf.ts'
import type { Seller } from '../rendition/seller.ts'
import { findInvoice } from './read-invoices.ts'

/** Renders an invoice: CSV for spreadsheets, PDF for people. */
export function renderInvoice(deps: BillDeps & { readonly seller: Seller }) {
  const { seller } = deps
  const renderPdf = createPdfRenderer()
  return async ({ id, mediaType }: RenderInvoiceRequest, call: HandlerContext): Promise<InvoiceRendition> => {
    const invoice = await findInvoice(deps, principal(call).tenant, id)
    const isPdf = mediaType === 'application/pdf'
    return {
      $typeName: 'millhand.billing.v1.InvoiceRendition',
      filename: `invoice-${invoice.number}.${isPdf ? 'pdf' : 'csv'}`,
      content: isPdf ? await renderPdf({ invoice, seller }, call.signal) : await invoiceCsv(invoice),
    }
  }
}
