/** What an account sees of the payments of its invoices, whatever fails at the processor or here. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { type Client, createClient, createContextValues } from '@connectrpc/connect'
import { codeOf, createCursors } from '@millhand/api'
import { BillingFamily } from '@millhand/api/gen/millhand/billing/v1/billing_pb.ts'
import { BillingService } from '@millhand/api/gen/millhand/billing/v1/billing_service_pb.ts'
import { LedgerService } from '@millhand/api/gen/millhand/billing/v1/ledger_service_pb.ts'
import { PaymentStatus } from '@millhand/api/gen/millhand/billing/v1/payment_pb.ts'
import { PaymentService } from '@millhand/api/gen/millhand/billing/v1/payment_service_pb.ts'
import type { EventLog, LoggedEvent } from '@millhand/eventlog'
import { sqliteEventLog } from '@millhand/eventlog/sqlite'
import { loadPlans } from '@millhand/plans'
import { type ManualClock, manualClock } from '@millhand/process'
import { createDirectTransport, principalKey, serve } from '@millhand/rpc'
import { openSqlite, type SqliteDatabase } from '@millhand/store/sqlite'
import { createLog } from '@millhand/telemetry'
import { createBillingService } from '../billing.ts'
import { stripeProcessor } from './stripe/stripe-processor.ts'
import { type StripeServer, startStripeServer } from './stripe/stripe-server.fixture.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const NOVEMBER = Date.UTC(2026, 10)
const { NONE, PENDING, PAID, FAILED } = PaymentStatus

describe('payments', () => {
  let folder: string
  let db: SqliteDatabase
  let clock: ManualClock
  let stripe: StripeServer
  let lines: string[]
  let billing: Client<typeof BillingService>
  let ledgers: Client<typeof LedgerService>
  let payments: Client<typeof PaymentService>
  let running: { stop(): Promise<void>; hear(...events: LoggedEvent[]): Promise<void> }

  /** A process with the service; `isPaid` says whether it has a processor. */
  function start(isPaid = true, key = stripe.key): typeof running {
    const subscribed = Promise.withResolvers<(events: readonly LoggedEvent[]) => Promise<void>>()
    const events: Pick<EventLog, 'subscribe'> = {
      async subscribe(group, _topics, handler, signal) {
        if (group === 'billing-accounts') subscribed.resolve(handler)
        if (!signal.aborted) await new Promise(resolve => signal.addEventListener('abort', resolve))
      },
    }
    const { url, webhookSecret } = stripe
    const service = createBillingService({
      ...{ db, events, clock, plans: loadPlans(), cursors: createCursors(new Uint8Array(32)) },
      log: createLog({ level: 'debug', write: line => void lines.push(line) }),
      ...{ entriesKeptMs: 400 * DAY_MS, graceMs: 3 * DAY_MS },
      ...(isPaid && { processor: stripeProcessor({ url, key, webhookSecret, clock }) }),
    })
    const transport = createDirectTransport()
    serve(service.routes, transport)
    billing = createClient(BillingService, transport)
    ledgers = createClient(LedgerService, transport)
    payments = createClient(PaymentService, transport)
    const ending = new AbortController()
    const ran = service.run(ending.signal)
    return {
      hear: async (...events) => await (await subscribed.promise)(events),
      async stop() {
        ending.abort()
        await ran
      },
    }
  }

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millhand-payments-'))
    db = openSqlite({ file: join(folder, 'billing.db') })
    clock = manualClock(NOVEMBER)
    stripe = await startStripeServer()
    lines = []
    running = start()
  })
  afterEach(async () => {
    await running.stop()
    await stripe[Symbol.asyncDispose]()
    await db.close()
    await rm(folder, { recursive: true })
    const secrets = [stripe.key, stripe.webhookSecret]
    for (const secret of secrets)
      assert.ok(!lines.some(line => line.includes(secret.slice(8))), 'no log line has a secret, or its end')
  })

  const as = (accountId: string) => ({
    contextValues: createContextValues().set(principalKey, {
      ...{ accountId, mode: 'live', tenant: `${accountId}/live`, scopes: new Set(['*']), keyId: 'key_a' },
      plans: { compute: 'starter', developer: 'pro', workforce: 'starter' },
    }),
  })

  const made = (account_id: string, developer: string): LoggedEvent => {
    const object = { id: account_id, compute: 'starter', developer, workforce: 'none' }
    const [id, type] = [`evt_${account_id}`, 'account.created']
    const value = JSON.stringify({ id, type, account_id, mode: 'live', resource_version: 1, data: { object } })
    return { topic: 'millhand.identity.v1', key: account_id, id, type, time: NOVEMBER, value, position: id }
  }

  /** Time goes on in steps, until something is so. */
  async function until(isSo: () => Promise<boolean> | boolean, stepMs = MINUTE_MS) {
    for (const deadline = performance.now() + 120_000; !(await isSo()); ) {
      assert.ok(performance.now() < deadline, `it did not become so: ${lines.slice(-3).join(' ')}`)
      await clock.advance(stepMs)
      await new Promise(resolve => setTimeout(resolve, 5))
    }
  }

  const invoicesOf = async (account = 'acct_a') =>
    (await billing.listInvoices({}, as(account))).data.filter(({ finalizedAt }) => finalizedAt)
  const statuses = async (account?: string) => (await invoicesOf(account)).map(({ payment }) => payment?.status)
  const closed = (account?: string, count = 1) => until(async () => (await invoicesOf(account)).length >= count, DAY_MS)
  const isCharged = () => stripe.invoices.some(({ status }) => status === 'open')

  /** An account whose November is closed, and asked for at Stripe. */
  async function charged() {
    await running.hear(made('acct_a', 'pro'))
    await closed()
    await until(isCharged)
    const [invoice] = stripe.invoices
    assert.ok(invoice)
    return invoice
  }

  const report = async (type: string, invoice: Awaited<ReturnType<typeof charged>>) => {
    await payments.receiveNotification(stripe.notify(type, invoice, clock.now()))
  }

  /** All events of invoices so far. */
  async function told(): Promise<unknown[]> {
    const tail = sqliteEventLog(db).tail(['millhand.billing.v1'], 'beginning', AbortSignal.timeout(60_000))
    const events: LoggedEvent[] = (await tail[Symbol.asyncIterator]().next()).value ?? []
    return events.map(({ type, value }) => {
      const { resource_version, data } = JSON.parse(value)
      assert.ok(resource_version >= 1)
      return [type, data.object.payment.status]
    })
  }

  it('a final invoice is asked for at Stripe, and paid when Stripe says so, once', async () => {
    const invoice = await charged()
    const [ours] = await invoicesOf()
    assert.equal(ours?.payment?.status, PENDING)
    assert.deepEqual(invoice.metadata, { millhand_account: 'acct_a', millhand_invoice: ours?.id })
    assert.deepEqual(invoice.items, [{ amount: 4_900, description: 'Millhand invoice 1, 2026-11' }])
    await Promise.all([1, 2, 3].map(() => report('invoice.paid', invoice)))
    await report('invoice.payment_failed', invoice)
    const paid = await billing.getInvoice({ id: ours?.id ?? '' }, as('acct_a'))
    assert.equal(paid.payment?.status, PAID)
    assert.ok(paid.payment?.changedAt)
    assert.deepEqual((await billing.getBilling({}, as('acct_a'))).invoices[0]?.payment, paid.payment)
    assert.deepEqual(await told(), [
      ['invoice.finalized', 'pending'],
      ['invoice.paid', 'paid'],
    ])
  })

  it('a payment that has failed is told once, and may succeed later', async () => {
    const invoice = await charged()
    await report('invoice.payment_failed', invoice)
    await report('invoice.payment_failed', invoice)
    assert.deepEqual(await statuses(), [FAILED])
    // Stripe says that it is open, when it is looked at again.
    await clock.advance(2 * DAY_MS)
    assert.deepEqual(await statuses(), [FAILED])
    await report('invoice.paid', invoice)
    assert.deepEqual(await statuses(), [PAID])
    assert.deepEqual(await told(), [
      ['invoice.finalized', 'pending'],
      ['invoice.payment_failed', 'failed'],
      ['invoice.paid', 'paid'],
    ])
  })

  it('nothing is collected of an invoice that was voided at Stripe', async () => {
    const invoice = await charged()
    await report('invoice.voided', invoice)
    await report('invoice.payment_failed', invoice)
    assert.deepEqual(await statuses(), [NONE])
    assert.deepEqual(await told(), [['invoice.finalized', 'pending']])
  })

  it('a notification that was lost is made up for within days', async () => {
    const invoice = await charged()
    invoice.status = 'paid'
    await until(async () => (await statuses())[0] === PAID, DAY_MS)
    assert.deepEqual((await told()).at(-1), ['invoice.paid', 'paid'])
  })

  it('a notification of another invoice, account or sender changes nothing', async () => {
    const invoice = await charged()
    const references = () => db.read<[string]>(`SELECT json_extract(body, '$.reference') FROM billing_payments`).flat()
    await until(() => references().includes(invoice.id))
    await report('invoice.paid', { ...invoice, id: 'in_of_somebody' })
    for (const metadata of [{}, { ...invoice.metadata, millhand_account: 'acct_b' }, { millhand_invoice: 'inv_x' }])
      await report('invoice.paid', { ...invoice, metadata: metadata as Record<string, string> })
    const { body, signature } = stripe.notify('invoice.paid', invoice, clock.now())
    const forged = payments.receiveNotification({ body: Buffer.concat([body, Buffer.from(' ')]), signature })
    await assert.rejects(forged, error => codeOf(error) === 'invalid_parameter')
    assert.deepEqual(await statuses(), [PENDING])
  })

  it('a processor that fails, and answers that are lost, delay a payment and never double it', async () => {
    stripe.faults.push('refused', 'answer lost', 'answer lost', 'refused', 'answer lost', 'refused')
    const invoice = await charged()
    await until(() => stripe.faults.length === 0)
    await report('invoice.paid', invoice)
    assert.deepEqual(await statuses(), [PAID])
    assert.equal(stripe.invoices.length, 1)
    assert.equal(stripe.customers.length, 1)
    assert.equal(invoice.items.length, 1)
  })

  it('while Stripe is away for an hour it is asked seldom, bills are read as ever, and then one invoice is made', async () => {
    stripe.outage.isDown = true
    await running.hear(made('acct_a', 'pro'))
    await closed()
    const began = clock.now()
    await until(() => clock.now() - began > 60 * MINUTE_MS)
    assert.deepEqual(await statuses(), [PENDING])
    assert.ok(stripe.outage.calls >= 2 && stripe.outage.calls < 15, `${stripe.outage.calls} calls`)
    stripe.outage.isDown = false
    await until(isCharged)
    const [invoice] = stripe.invoices
    assert.ok(invoice)
    await report('invoice.paid', invoice)
    assert.deepEqual([await statuses(), stripe.invoices.length, invoice.items.length], [[PAID], 1, 1])
    assert.ok(lines.some(line => line.includes('billing.collecting_failed') && line.includes('Stripe is away')))
  })

  it('an invoice that Stripe reports as paid before it is known here that it was made is paid, once', async () => {
    // Of the customer, the invoice and its item the answers come; that of finalizing it is lost.
    stripe.faults.push(undefined, undefined, undefined, 'answer lost')
    const invoice = await charged()
    await running.stop()
    invoice.status = 'paid'
    running = start()
    await Promise.all([report('invoice.paid', invoice), clock.advance(MINUTE_MS)])
    await clock.advance(2 * DAY_MS)
    assert.deepEqual([await statuses(), stripe.invoices.length, invoice.items.length], [[PAID], 1, 1])
    assert.deepEqual(await told(), [
      ['invoice.finalized', 'pending'],
      ['invoice.paid', 'paid'],
    ])
  })

  it('a start with a key that Stripe refuses says which setting it is, and bills are made as ever', async () => {
    await running.stop()
    lines.length = 0
    running = start(true, 'sk_test_51HcRefusedByStripe')
    await running.hear(made('acct_a', 'pro'))
    const line = () => lines.find(each => each.includes('billing.processor_check_failed'))
    await until(() => line() !== undefined)
    assert.match(line() ?? '', /MILLHAND_STRIPE_KEY/)
    await closed()
    assert.deepEqual(await statuses(), [PENDING])
    await running.stop()
    assert.ok(!lines.some(each => each.includes('ByStripe')))
    running = start()
    await until(isCharged)
  })

  it('a process that ends in the middle leaves the payment to the next one, and two at once make one invoice', async () => {
    stripe.faults.push(...Array.from({ length: 3 }, () => 'answer lost' as const))
    await running.hear(made('acct_a', 'pro'))
    await closed()
    await until(() => stripe.faults.length === 0)
    await running.stop()
    stripe.forgetKeys()
    running = start()
    const other = start()
    await until(isCharged)
    await other.stop()
    assert.equal(stripe.invoices.length, 1)
    assert.deepEqual(stripe.invoices[0]?.items.length, 1)
  })

  it('an account has one customer; what it gets back is a credit there, and nothing is asked for an invoice of zero', async () => {
    await running.hear(made('acct_a', 'pro'), made('acct_b', 'free'))
    const credit = { key: 'k', family: BillingFamily.DEVELOPER, micros: 60_000_000n, reason: 'an outage', by: 'ops' }
    await ledgers.postCredit(credit, as('acct_a'))
    // October is still open: its invoice is the credit alone.
    await closed('acct_a')
    await until(async () => (await statuses('acct_a'))[0] === PAID)
    await closed('acct_b')
    assert.deepEqual(await statuses('acct_b'), [NONE])
    await until(isCharged)
    assert.deepEqual(
      stripe.invoices.map(({ items }) => items[0]?.amount),
      [-6_000, 4_900],
    )
    assert.equal(stripe.customers.length, 1)
  })

  it('without a processor there are invoices only, also after one is configured', async () => {
    await running.stop()
    running = start(false)
    await running.hear(made('acct_a', 'pro'))
    await closed()
    assert.deepEqual(await statuses(), [NONE])
    const refused = payments.receiveNotification({ body: new Uint8Array(), signature: 'x' })
    await assert.rejects(refused, error => codeOf(error) === 'not_found')
    await running.stop()
    running = start()
    await clock.advance(DAY_MS)
    assert.deepEqual([await statuses(), stripe.invoices.length], [[NONE], 0])
  })
})
