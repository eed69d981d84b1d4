/** A server that behaves as Stripe's API does for invoices, idempotency keys and their end included. It fails as it is told. */
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Stripe } from 'stripe'

/**
 * What happens to the next call that makes something: it is not done, or is done and the answer is lost. An error that is
 * kept is not done, and told again under the same idempotency key.
 */
type Fault = 'refused' | 'answer lost' | 'error kept'

interface Made {
  readonly id: string
  readonly created: number
  readonly metadata: Readonly<Record<string, string>>
}

interface MadeInvoice extends Made {
  readonly customer: string
  readonly currency: string
  status: 'draft' | 'open' | 'paid' | 'void'
  readonly items: { readonly amount: number; readonly description: string }[]
}

export interface StripeServer extends AsyncDisposable {
  readonly url: URL
  readonly key: string
  readonly webhookSecret: string
  readonly customers: readonly Made[]
  readonly invoices: readonly MadeInvoice[]
  /** The faults of the next calls that make something, in their order; undefined for one that is answered. */
  readonly faults: (Fault | undefined)[]
  /** While it is down, every call fails. They are counted. While the search is behind, it finds no customer. */
  readonly outage: { isDown: boolean; isSearchBehind: boolean; calls: number }
  /** A day later: all idempotency keys are forgotten. */
  forgetKeys(): void
  /** A notification of an invoice as it is, signed at a time in milliseconds since 1970. */
  notify(type: string, invoice: MadeInvoice, at: number): { readonly body: Buffer; readonly signature: string }
}

interface Answer {
  readonly status: number
  readonly body: unknown
}

export async function startStripeServer(): Promise<StripeServer> {
  const [key, webhookSecret] = ['sk_test_51HcFixtureKeyOfNoAccount', 'whsec_fixtureSecretOfNoEndpoint']
  const customers: Made[] = []
  const invoices: MadeInvoice[] = []
  const faults: (Fault | undefined)[] = []
  const outage = { isDown: false, isSearchBehind: false, calls: 0 }
  const answers = new Map<string, { readonly params: string; readonly answer: Answer }>()
  let made = 0

  const base = (prefix: string, form: URLSearchParams): Made => ({
    id: `${prefix}_${++made}`,
    created: made,
    metadata: Object.fromEntries(
      [...form].flatMap(([name, value]) => {
        const key = /^metadata\[(\w+)\]$/.exec(name)?.[1]
        return key === undefined ? [] : [[key, value]]
      }),
    ),
  })

  function post(path: string, form: URLSearchParams): Answer {
    const [, id, action] = /^\/v1\/invoices\/(\w+)\/(\w+)$/.exec(path) ?? []
    if (path === '/v1/customers') {
      const customer = base('cus', form)
      customers.push(customer)
      return { status: 200, body: { object: 'customer', ...customer } }
    }
    if (path === '/v1/invoices') {
      const customer = form.get('customer') ?? ''
      if (!customers.some(each => each.id === customer)) return failed(400, 'resource_missing', 'No such customer')
      const currency = form.get('currency') ?? ''
      const invoice: MadeInvoice = { ...base('in', form), customer, currency, status: 'draft', items: [] }
      invoices.push(invoice)
      return { status: 200, body: shown(invoice) }
    }
    const invoice = invoices.find(each => each.id === (id ?? form.get('invoice')))
    if (invoice?.status !== 'draft') return failed(400, 'invoice_not_editable', 'The invoice is no draft')
    if (path === '/v1/invoiceitems') {
      invoice.items.push({ amount: Number(form.get('amount')), description: form.get('description') ?? '' })
      return { status: 200, body: { object: 'invoiceitem', ...base('ii', form) } }
    }
    if (action !== 'finalize') return failed(404, 'resource_missing', 'Unrecognized request URL')
    // What is not positive is paid at once: it becomes a credit balance.
    invoice.status = totalOf(invoice) > 0 ? 'open' : 'paid'
    return { status: 200, body: shown(invoice) }
  }

  function get(path: string, query: URLSearchParams): Answer {
    const list = (data: readonly unknown[]) => ({
      status: 200,
      body: { object: 'list', data, has_more: false, url: path },
    })
    if (path === '/v1/customers/search') {
      const account = /^metadata\['millhand_account'\]:'(\w+)'$/.exec(query.get('query') ?? '')?.[1]
      return list(
        outage.isSearchBehind ? [] : customers.filter(({ metadata }) => metadata.millhand_account === account),
      )
    }
    if (path === '/v1/customers') return list(customers)
    if (path === '/v1/invoices') {
      const customer = query.get('customer')
      return list(invoices.filter(each => customer === null || each.customer === customer).map(shown))
    }
    const invoice = invoices.find(({ id }) => path === `/v1/invoices/${id}`)
    return invoice ? { status: 200, body: shown(invoice) } : failed(404, 'resource_missing', 'No such invoice')
  }

  /** As Stripe does: the answer is kept under its key, and another request under the same key is refused. */
  function answerOnce(idempotencyKey: string, path: string, params: string, fault?: Fault): Answer {
    const kept = answers.get(idempotencyKey)
    if (kept && kept.params !== path + params) return failed(400, 'idempotency_error', 'The key was used for another')
    const done = () => (fault === 'error kept' ? broken : post(path, new URLSearchParams(params)))
    const answer = kept?.answer ?? done()
    answers.set(idempotencyKey, { params: path + params, answer })
    return answer
  }

  async function answer(req: IncomingMessage): Promise<Answer | undefined> {
    const { pathname, searchParams } = new URL(req.url ?? '', 'http://stripe.test')
    const params = await text(req)
    if (outage.isDown) {
      outage.calls++
      return failed(503, undefined, 'Stripe is away')
    }
    const [, given = ''] = /^Bearer (.*)$/.exec(req.headers.authorization ?? '') ?? []
    if (given !== key)
      return failed(401, undefined, `Invalid API Key provided: ${given.slice(0, 8)}****${given.slice(-4)}`)
    if (req.method === 'GET') return get(pathname, searchParams)
    const fault = faults.shift()
    if (fault === 'refused') return broken
    const done = answerOnce(String(req.headers['idempotency-key']), pathname, params, fault)
    return fault === 'answer lost' ? undefined : done
  }

  const server = createServer((req, res) => {
    void answer(req).then(answered => {
      if (answered === undefined) return res.destroy()
      return res
        .writeHead(answered.status, { 'Content-Type': 'application/json', 'Request-Id': 'req_fixture' })
        .end(JSON.stringify(answered.body))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    ...{ key, webhookSecret, customers, invoices, faults, outage },
    forgetKeys: () => answers.clear(),
    notify(type, invoice, at) {
      const event = { id: `evt_${++made}`, object: 'event', type, data: { object: shown(invoice) } }
      const payload = JSON.stringify(event)
      const timestamp = Math.floor(at / 1_000)
      const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: webhookSecret, timestamp })
      return { body: Buffer.from(payload), signature }
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const totalOf = ({ items }: MadeInvoice): number => items.reduce((sum, { amount }) => sum + amount, 0)

function shown({ items, ...invoice }: MadeInvoice) {
  const lines = items.map(({ amount, description }, n) => ({ id: `il_${n}`, object: 'line_item', amount, description }))
  return {
    object: 'invoice',
    ...invoice,
    total: totalOf({ items, ...invoice }),
    lines: { object: 'list', data: lines },
  }
}

const failed = (status: number, code: string | undefined, message: string): Answer => ({
  status,
  body: { error: { type: status >= 500 ? 'api_error' : 'invalid_request_error', code, message } },
})

const broken = failed(500, undefined, 'An error occurred')
