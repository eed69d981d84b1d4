/**
 * Stripe as the payment processor. Each step looks for what an earlier call has made before it makes anything, and makes it
 * under an idempotency key of our ids: Stripe forgets such a key after a day, and what it has made stays to be found.
 */
import { Stripe } from 'stripe'
import { type CollectRequest, PaymentError, type PaymentProcessor, type PaymentState } from '../payment-processor.ts'
import { explained } from './stripe-error.ts'
import { type NotificationKey, readNotification } from './stripe-notification.ts'
import { accountOf, metadataOf, ourInvoice, statusOf } from './stripe-objects.ts'

export interface StripeOptions extends NotificationKey {
  /** The secret or restricted key. */
  readonly key: string
  /** The base URL of its API. */
  readonly url: URL
}

const TIMEOUT_MS = 20_000
const PAGE = 100

export function stripeProcessor(options: StripeOptions): PaymentProcessor {
  return {
    collects: true,
    async check(signal) {
      try {
        const stripe = connect(options, signal)
        await stripe.customers.list({ limit: 1 })
        await stripe.invoices.list({ limit: 1 })
      } catch (error) {
        throw explained(error)
      }
    },
    async collect(request, signal) {
      try {
        return stateOf(await collected(connect(options, signal), request))
      } catch (error) {
        throw explained(error)
      }
    },
    read: (body, signature) => readNotification(options, body, signature),
  }
}

/** A client whose calls end with a signal. Who calls repeats what has failed, so it repeats nothing itself. */
function connect({ key, url }: StripeOptions, signal: AbortSignal): Stripe {
  const fetchUntil: typeof fetch = (input, init) =>
    fetch(input, { ...init, signal: init?.signal ? AbortSignal.any([signal, init.signal]) : signal })
  return new Stripe(key, {
    ...{ host: url.hostname, port: url.port || (url.protocol === 'https:' ? 443 : 80) },
    protocol: url.protocol === 'https:' ? 'https' : 'http',
    httpClient: Stripe.createFetchHttpClient(fetchUntil),
    timeout: TIMEOUT_MS,
    maxNetworkRetries: 0,
    telemetry: false,
  })
}

/** The invoice with its one item, finalized: Stripe then collects it. One that is final already is returned as it is. */
async function collected(stripe: Stripe, request: CollectRequest): Promise<Stripe.Invoice> {
  const found = await foundOrMade(stripe, request)
  const invoice = isEmptyDraft(found) ? await withItem(stripe, request, found) : found
  const { id, status, total } = invoice
  // Somebody changed the draft; or a backup was restored here, and the month has closed with another sum since.
  if (status !== 'void' && total !== request.cents)
    throw new PaymentError(`${id} comes to ${total} cents at Stripe instead of ${request.cents}`)
  // No key of ours: Stripe finalizes a draft once, and a key would repeat a refusal after its cause is gone.
  return status === 'draft' ? await stripe.invoices.finalizeInvoice(id, { auto_advance: true }) : invoice
}

/** The invoice, or a draft of it that is empty. */
async function foundOrMade(stripe: Stripe, request: CollectRequest): Promise<Stripe.Invoice> {
  const { accountId, invoiceId, number, month } = request
  const known = request.reference === undefined ? undefined : await retrieved(stripe, request.reference)
  if (known) return known
  const customer = await customerOf(stripe, accountId)
  for await (const invoice of stripe.invoices.list({ customer, limit: PAGE }))
    if (ourInvoice(invoice.metadata)?.invoiceId === invoiceId) return invoice
  return await stripe.invoices.create(
    {
      ...{ customer, currency: 'usd', collection_method: 'charge_automatically', auto_advance: false },
      // What else waits for the customer, somebody else has made; a discount of the customer would change the sum.
      ...{ pending_invoice_items_behavior: 'exclude', discounts: '' },
      description: titleOf(number, month),
      metadata: metadataOf(accountId, invoiceId),
    },
    { idempotencyKey: `millhand-invoice-${invoiceId}` },
  )
}

/** Undefined where there is none any more: a draft was deleted, or the key is of another Stripe account than before. */
async function retrieved(stripe: Stripe, reference: string): Promise<Stripe.Invoice | undefined> {
  try {
    return await stripe.invoices.retrieve(reference)
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError && error.code === 'resource_missing') return undefined
    throw error
  }
}

/** The customer of an account. A new one is found by a search after a minute; until then its idempotency key returns it. */
async function customerOf(stripe: Stripe, accountId: string): Promise<string> {
  const { data } = await stripe.customers.search({ query: `metadata['millhand_account']:'${accountId}'` })
  const [found] = data.filter(customer => accountOf(customer) === accountId).sort((a, b) => a.created - b.created)
  if (found) return found.id
  const made = await stripe.customers.create(
    { description: `Millhand account ${accountId}`, metadata: metadataOf(accountId) },
    { idempotencyKey: `millhand-customer-${accountId}` },
  )
  return made.id
}

const isEmptyDraft = ({ status, lines }: Stripe.Invoice): boolean => status === 'draft' && lines.data.length === 0

async function withItem(stripe: Stripe, request: CollectRequest, draft: Stripe.Invoice): Promise<Stripe.Invoice> {
  const { accountId, invoiceId, number, month, cents } = request
  const { id, customer } = draft
  await stripe.invoiceItems.create(
    {
      customer: typeof customer === 'string' ? customer : (customer?.id ?? ''),
      ...{ invoice: id, currency: 'usd', amount: cents, description: titleOf(number, month) },
      metadata: metadataOf(accountId, invoiceId),
    },
    { idempotencyKey: `millhand-item-${id}` },
  )
  return await stripe.invoices.retrieve(id)
}

const titleOf = (number: number, month: string): string => `Millhand invoice ${number}, ${month}`

const stateOf = (invoice: Stripe.Invoice): PaymentState => ({ status: statusOf(invoice), reference: invoice.id })
