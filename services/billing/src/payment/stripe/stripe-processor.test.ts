/** Stripe as a payment processor, with a server that does what Stripe does, and fails. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import { codeOf } from '@millhand/api'
import { manualClock } from '@millhand/process'
import fc from 'fast-check'
import { Stripe } from 'stripe'
import { describeProcessor, request } from '../payment-processor.contract.ts'
import { PaymentError } from '../payment-processor.ts'
import { stripeProcessor } from './stripe-processor.ts'
import { type StripeServer, startStripeServer } from './stripe-server.fixture.ts'

const NOW = Date.UTC(2026, 11, 4)
const signal = new AbortController().signal

const processorOf = ({ url, key, webhookSecret }: StripeServer) =>
  stripeProcessor({ url, key, webhookSecret, clock: manualClock(NOW) })

const chargedBy = ({ invoices }: StripeServer) =>
  invoices.map(
    ({ metadata, items }) =>
      [metadata.millhand_invoice ?? '', items.reduce((sum, { amount }) => sum + amount, 0)] as const,
  )

describeProcessor('stripe', async () => {
  const server = await startStripeServer()
  return {
    processor: processorOf(server),
    charged: () => chargedBy(server),
    customers: () => server.customers.length,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
})

describe('stripe', () => {
  it('makes one invoice with one item, whatever call fails or whose answer is lost, also after its keys are forgotten', async () => {
    const faults = fc.array(
      fc.constantFrom(...(['refused', 'answer lost', 'error kept', 'none', 'forgotten'] as const)),
      {
        maxLength: 8,
      },
    )
    await fc.assert(
      fc.asyncProperty(faults, async steps => {
        await using server = await startStripeServer()
        const processor = processorOf(server)
        for (const step of steps) {
          if (step === 'forgotten') server.forgetKeys()
          else if (step !== 'none') server.faults.push(step)
          if (step !== 'forgotten') await processor.collect(request, signal).catch(() => {})
        }
        server.faults.length = 0
        // Stripe tells such an error for a day.
        if (steps.includes('error kept')) server.forgetKeys()
        const { status } = await processor.collect(request, signal)
        assert.equal(status, 'pending')
        assert.deepEqual(chargedBy(server), [[request.invoiceId, request.cents]])
        assert.equal(server.customers.length, 1)
        assert.equal(server.invoices[0]?.items.length, 1)
      }),
      { numRuns: 40 },
    )
  })

  it('makes the invoice again where its draft was deleted, or the key is of another Stripe account', async () => {
    await using server = await startStripeServer()
    const state = await processorOf(server).collect({ ...request, reference: 'in_of_another_account' }, signal)
    assert.equal(state.reference, server.invoices[0]?.id)
  })

  it('collects no draft whose items somebody has changed', async () => {
    await using server = await startStripeServer()
    const processor = processorOf(server)
    await processor.collect(request, signal)
    const [invoice] = server.invoices
    assert.ok(invoice)
    invoice.status = 'draft'
    invoice.items.push({ amount: 1, description: 'by hand' })
    await assert.rejects(processor.collect(request, signal), /comes to 4904 cents at Stripe instead of 4903/)
    assert.equal(invoice.status, 'draft')
  })

  it('does not take an invoice of another sum for paid: a month that closed anew after a backup was restored', async () => {
    await using server = await startStripeServer()
    const processor = processorOf(server)
    await processor.collect(request, signal)
    for (const invoice of server.invoices) invoice.status = 'paid'
    assert.equal((await processor.collect(request, signal)).status, 'paid')
    await assert.rejects(
      processor.collect({ ...request, cents: 5_000 }, signal),
      /4903 cents at Stripe instead of 5000/,
    )
  })

  it('makes one invoice when two processes ask at once', async () => {
    await using server = await startStripeServer()
    await Promise.allSettled([1, 2, 3].map(() => processorOf(server).collect(request, signal)))
    assert.equal((await processorOf(server).collect(request, signal)).status, 'pending')
    assert.deepEqual(chargedBy(server), [[request.invoiceId, request.cents]])
    assert.equal(server.customers.length, 1)
  })

  it('gives an account one customer, also while the search does not find the new one', async () => {
    await using server = await startStripeServer()
    const processor = processorOf(server)
    server.outage.isSearchBehind = true
    await processor.collect(request, signal)
    await processor.collect({ ...request, invoiceId: 'inv_01kbgqe0k1f4r8vd52m7c3w9xc' }, signal)
    server.outage.isSearchBehind = false
    server.forgetKeys()
    await processor.collect({ ...request, invoiceId: 'inv_01kbgqe0k1f4r8vd52m7c3w9xd' }, signal)
    assert.deepEqual([server.customers.length, server.invoices.length], [1, 3])
  })

  it('explains a refusal without the key', async () => {
    await using server = await startStripeServer()
    const { url, webhookSecret } = server
    const key = 'sk_test_51HcAnotherKey'
    const processor = stripeProcessor({ url, key, webhookSecret, clock: manualClock(NOW) })
    for (const call of [processor.check(signal), processor.collect(request, signal)])
      await assert.rejects(call, (error: Error) => {
        assert.ok(error instanceof PaymentError)
        assert.match(error.message, /Invalid API Key provided: MILLHAND_STRIPE_KEY \(.*401, req_fixture\)/)
        const said = JSON.stringify([error.message, error.stack, error.cause])
        for (const part of [key, key.slice(-4)]) assert.ok(!said.includes(part), 'nothing of the key is told')
        return true
      })
  })

  it('says why it can’t be reached', async () => {
    const server = await startStripeServer()
    const processor = processorOf(server)
    await server[Symbol.asyncDispose]()
    await assert.rejects(processor.check(signal), (error: Error) => {
      assert.ok(error instanceof PaymentError)
      assert.match(inspect(error.cause), /ECONNREFUSED/)
      return true
    })
  })

  it('ends a call that is under way when its signal fires', async () => {
    await using server = await startStripeServer()
    const ending = new AbortController()
    const collecting = processorOf(server).collect(request, ending.signal)
    ending.abort()
    await assert.rejects(collecting)
  })

  it('reads what Stripe reports of our invoices, for five minutes', async () => {
    await using server = await startStripeServer()
    const processor = processorOf(server)
    await processor.collect(request, signal)
    const [invoice] = server.invoices
    assert.ok(invoice)
    const { accountId, invoiceId } = request
    const read = async (type: string, made = invoice, at = NOW) => {
      const { body, signature } = server.notify(type, made, at)
      return await processor.read(body, signature)
    }
    const ours = { accountId, invoiceId, reference: invoice.id }
    assert.deepEqual(await read('invoice.paid'), { ...ours, status: 'paid' })
    assert.deepEqual(await read('invoice.payment_failed'), { ...ours, status: 'failed' })
    assert.deepEqual(await read('invoice.voided'), { ...ours, status: 'none' })
    assert.deepEqual(await read('invoice.paid', invoice, NOW - 300_000), { ...ours, status: 'paid' })
    assert.equal(await read('invoice.created'), undefined)
    for (const type of ['constructor', '__proto__']) assert.equal(await read(type), undefined)
    assert.equal(await read('invoice.paid', { ...invoice, metadata: {} }), undefined)
    await assert.rejects(read('invoice.paid', invoice, NOW - 301_000), error => codeOf(error) === 'invalid_parameter')
    const { body, signature } = server.notify('invoice.paid', invoice, NOW)
    body[body.length - 2] = 32
    await assert.rejects(processor.read(body, signature), error => codeOf(error) === 'invalid_parameter')
  })

  it('ignores whatever else is signed, and refuses what is no JSON', async () => {
    await using server = await startStripeServer()
    const processor = processorOf(server)
    const { webhookSecret: secret } = server
    const timestamp = NOW / 1_000
    const read = (payload: string, header = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp })) =>
      processor.read(Buffer.from(payload), header)
    const paid = (object: unknown) => JSON.stringify({ type: 'invoice.paid', data: { object } })
    const metadata = { millhand_account: 'acct_a', millhand_invoice: 'inv_a' }
    for (const payload of ['null', '1', '[]', '"x"', '{}', '{"type":"invoice.paid"}', '{"type":[],"data":null}'])
      assert.equal(await read(payload), undefined, payload)
    for (const object of [
      null,
      'x',
      {},
      { id: 'in_1' },
      { id: 'in_1', metadata: 'x' },
      { id: 7, metadata },
      { metadata },
    ])
      assert.equal(await read(paid(object)), undefined, paid(object))
    for (const [millhand_account, millhand_invoice] of [
      [7, 'inv_a'],
      ['acct_a', null],
    ])
      assert.equal(await read(paid({ id: 'in_1', metadata: { millhand_account, millhand_invoice } })), undefined)
    assert.equal((await read(paid({ id: 'in_1', metadata })))?.status, 'paid')
    for (const payload of ['', '{', '\0'])
      await assert.rejects(read(payload), error => codeOf(error) === 'invalid_parameter', payload)
    for (const header of ['t=,v1=', `t=NaN,v1=${'0'.repeat(64)}`, `t=${timestamp}`, `t=${timestamp},v1`, ',=,', '\0'])
      await assert.rejects(read(paid({}), header), error => codeOf(error) === 'invalid_parameter', header)
  })
})
