/** Stripe as a payment processor, with a server that does what Stripe does, and fails. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { codeOf } from '@millhand/api'
import { manualClock } from '@millhand/process'
import fc from 'fast-check'
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
    const faults = fc.array(fc.constantFrom('refused', 'answer lost', 'none', 'forgotten' as const), { maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(faults, async steps => {
        await using server = await startStripeServer()
        const processor = processorOf(server)
        for (const step of steps) {
          if (step === 'forgotten') server.forgetKeys()
          if (step === 'refused' || step === 'answer lost') server.faults.push(step)
          if (step !== 'forgotten') await processor.collect(request, signal).catch(() => {})
        }
        server.faults.length = 0
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
    await assert.rejects(processor.collect(request, signal), /the draft comes to 4904 cents instead of 4903/)
    assert.equal(invoice.status, 'draft')
  })

  it('explains a refusal without the key', async () => {
    await using server = await startStripeServer()
    const { url, webhookSecret } = server
    const key = 'sk_test_51HcAnotherKey'
    const processor = stripeProcessor({ url, key, webhookSecret, clock: manualClock(NOW) })
    await assert.rejects(processor.collect(request, signal), (error: Error) => {
      assert.ok(error instanceof PaymentError)
      assert.match(error.message, /Invalid API Key provided \(.*401, req_fixture\)/)
      assert.ok(!JSON.stringify([error.message, error.stack, error.cause]).includes(key))
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
    assert.equal(await read('invoice.paid', { ...invoice, metadata: {} }), undefined)
    await assert.rejects(read('invoice.paid', invoice, NOW - 301_000), error => codeOf(error) === 'invalid_parameter')
    const { body, signature } = server.notify('invoice.paid', invoice, NOW)
    body[body.length - 2] = 32
    await assert.rejects(processor.read(body, signature), error => codeOf(error) === 'invalid_parameter')
  })
})
