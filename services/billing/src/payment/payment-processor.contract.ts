/** What every payment processor keeps. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { codeOf } from '@millhand/api'
import type { CollectRequest, PaymentProcessor } from './payment-processor.ts'

export interface OpenedProcessor extends AsyncDisposable {
  readonly processor: PaymentProcessor
  /** What the processor has of our invoices: each with its total in cents, by our id. */
  charged(): readonly (readonly [invoiceId: string, cents: number])[]
  /** How many customers it has. */
  customers(): number
}

export const request: CollectRequest = {
  accountId: 'acct_01kbgqe0k1f4r8vd52m7c3w9xa',
  invoiceId: 'inv_01kbgqe0k1f4r8vd52m7c3w9xb',
  number: 7,
  month: '2026-11',
  cents: 4_903,
}

export function describeProcessor(name: string, open: () => Promise<OpenedProcessor>) {
  const signal = new AbortController().signal

  describe(`payment processor ${name}`, () => {
    it('asks for the payment of an invoice once, however often and by how many it is called', async () => {
      await using opened = await open()
      const { processor } = opened
      const first = await processor.collect(request, signal)
      const again = await Promise.all([1, 2, 3].map(() => processor.collect(request, signal)))
      const known = await processor.collect({ ...request, reference: first.reference }, signal)
      for (const each of [...again, known]) assert.deepEqual(each, first)
      assert.equal(first.status, processor.collects ? 'pending' : 'none')
      assert.deepEqual(opened.charged(), processor.collects ? [[request.invoiceId, 4_903]] : [])
    })

    it('can be used', async () => {
      await using opened = await open()
      await opened.processor.check(signal)
    })

    it('gives an account one customer, and each invoice its own amount', async () => {
      await using opened = await open()
      const { processor } = opened
      const other = { ...request, invoiceId: 'inv_01kbgqe0k1f4r8vd52m7c3w9xc', number: 8, cents: -250 }
      const states = [await processor.collect(request, signal), await processor.collect(other, signal)]
      const references = new Set(states.map(({ reference }) => reference))
      assert.equal(references.size, processor.collects ? 2 : 1)
      assert.equal(opened.customers(), processor.collects ? 1 : 0)
      const charged = [
        [request.invoiceId, 4_903],
        [other.invoiceId, -250],
      ]
      assert.deepEqual(opened.charged(), processor.collects ? charged : [])
    })

    it('refuses a notification that it has not signed', async () => {
      await using opened = await open()
      const { processor } = opened
      const expected = processor.collects ? 'invalid_parameter' : 'not_found'
      for (const signature of ['', 'v1=1', `t=${Math.floor(Date.now() / 1_000)},v1=${'0'.repeat(64)}`])
        for (const body of ['', '{}', '{"type":"invoice.paid"}'])
          await assert.rejects(processor.read(Buffer.from(body), signature), error => codeOf(error) === expected)
    })
  })
}
