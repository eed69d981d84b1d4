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
    async collect(request, signal) {
      try {
        const stripe = connect(options, signal)
        return stateOf(await finalized(stripe, request, await collected(stripe, request)))
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

/** The invoice, found or made: a draft at first. */
async function collected(stripe: Stripe, request: CollectRequest): Promise<Stripe.Invoice> {
  const { accountId, invoiceId, number, month } = request
  const known = request.reference === undefined ? undefined : await retrieved(stripe, request.reference)
  if (known) return known
  const customer = await customerOf(stripe, accountId)
  for await (const invoice of stripe.invoices.list({ customer, limit: PAGE }))
    if (ourInvoice(invoice)?.invoiceId === invoiceId) return invoice
  return await stripe.invoices.create(
    {
      ...{ customer, currency: 'usd', collection_method: 'charge_automatically', auto_advance: false },
      // What else waits for the customer, somebody else has made.
      pending_invoice_items_behavior: 'exclude',
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

/** A draft gets its one item, and is finalized; Stripe then collects it. Any other invoice is returned as it is. */
async function finalized(stripe: Stripe, request: CollectRequest, invoice: Stripe.Invoice): Promise<Stripe.Invoice> {
  if (invoice.status !== 'draft') return invoice
  const { invoiceId, number, month, cents } = request
  const { id, customer, total, lines } = invoice
  if (lines.data.length > 0) {
    if (total !== cents) throw new PaymentError(`the draft comes to ${total} cents instead of ${cents}`)
  } else
    await stripe.invoiceItems.create(
      {
        customer: typeof customer === 'string' ? customer : (customer?.id ?? ''),
        ...{ invoice: id, currency: 'usd', amount: cents, description: titleOf(number, month) },
        metadata: metadataOf(request.accountId, invoiceId),
      },
      { idempotencyKey: `millhand-item-${invoiceId}` },
    )
  return await stripe.invoices.finalizeInvoice(
    id,
    { auto_advance: true },
    { idempotencyKey: `millhand-finalize-${invoiceId}` },
  )
}

const titleOf = (number: number, month: string): string => `Millhand invoice ${number}, ${month}`

const stateOf = (invoice: Stripe.Invoice): PaymentState => ({ status: statusOf(invoice), reference: invoice.id })
