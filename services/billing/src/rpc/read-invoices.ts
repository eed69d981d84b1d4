import type { HandlerContext } from '@connectrpc/connect'
import { type Cursors, fail } from '@millhand/api'
import type {
  GetInvoiceRequest,
  Invoice,
  ListInvoicesRequest,
  ListInvoicesResponse,
} from '@millhand/api/gen/millhand/billing/v1/billing_pb.ts'
import { principal } from '@millhand/rpc'
import { type Query, readPage } from '@millhand/store'
import type { BillDeps } from '../billing-deps.ts'
import { LEDGER_ID, type LedgerRecord } from '../ledger/ledger.ts'
import { type AnyInvoice, openInvoices } from '../ledger/open-invoices.ts'
import { invoiceMessage, listedInvoice } from './invoice-message.ts'

export const getInvoice =
  (deps: BillDeps) =>
  async ({ id }: GetInvoiceRequest, call: HandlerContext): Promise<Invoice> => {
    return invoiceMessage(await findInvoice(deps, principal(call).tenant, id))
  }

/** A final or open one. Fails with `not_found`. */
export async function findInvoice(deps: BillDeps, tenant: string, id: string): Promise<AnyInvoice> {
  // In this order: it may close in between.
  const open = (await readOpen(deps, tenant)).find(invoice => invoice.id === id)
  const invoice = (await deps.invoices.get(tenant, id)) ?? open
  if (!invoice) throw fail('not_found', `There is no invoice \`${id.slice(0, 64)}\`.`)
  return withPayment(invoice, await deps.payments.get(tenant, id))
}

/** With what has become of its payment: only a final one has any. */
const withPayment = (invoice: AnyInvoice, payment: AnyInvoice['payment']): AnyInvoice =>
  invoice.finalized_at === undefined ? invoice : { ...invoice, payment }

/** Invoices are few, and never come out of order: the ledger makes one after the other. */
export const listInvoices =
  (deps: BillDeps & { readonly cursors: Cursors }) =>
  async (request: ListInvoicesRequest, call: HandlerContext): Promise<ListInvoicesResponse> => {
    const { data, more } = await readPage({
      find: (_, query) => findInvoices(deps, query),
      tenant: principal(call).tenant,
      range: { after: undefined, before: undefined },
      list: ['invoices'],
      ...{ cursors: deps.cursors, request },
    })
    return { $typeName: 'millhand.billing.v1.ListInvoicesResponse', data: data.map(listedInvoice), ...more }
  }

/**
 * Final and open ones of a tenant, by their ids: one that closes meanwhile keeps its own. `ledger` is the tenant's, for who has
 * read it.
 */
export async function findInvoices(deps: BillDeps, query: Query, ledger?: LedgerRecord): Promise<AnyInvoice[]> {
  const { equals, after, before, order, limit } = query
  const open = (await readOpen(deps, String(equals[0]), ledger)).filter(
    ({ id }) => (after === undefined || id > String(after[0])) && (before === undefined || id < String(before[0])),
  )
  // A payment has the id of its invoice, and not every invoice has one: these are those of all that are found.
  const [final, payments] = await Promise.all([
    deps.invoices.find('primary', query),
    deps.payments.find('primary', query),
  ])
  const paymentOf = new Map(payments.map(payment => [payment.id, payment]))
  const all = new Map([...open, ...final].map(invoice => [invoice.id, invoice]))
  const sorted = [...all.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  const found = (order === 'desc' ? sorted.toReversed() : sorted).slice(0, limit)
  return found.map(invoice => withPayment(invoice, paymentOf.get(invoice.id)))
}

async function readOpen(
  { ledgers, prices, clock }: BillDeps,
  tenant: string,
  known?: LedgerRecord,
): Promise<AnyInvoice[]> {
  const ledger = known ?? (await ledgers.get(tenant, LEDGER_ID))
  return ledger ? openInvoices(ledger, clock.now(), prices) : []
}
