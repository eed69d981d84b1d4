/** Each call that the adapter makes is valid for Stripe’s own mock server, which checks it by Stripe’s OpenAPI file. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { manualClock } from '@millhand/process'
import { goMissing, startStripeMock } from '@millhand/test-servers'
import { request } from '../payment-processor.contract.ts'
import { stripeProcessor } from './stripe-processor.ts'

test('every call is valid for stripe-mock', { skip: goMissing }, async () => {
  await using mock = await startStripeMock()
  await using passing = await passOn(mock.url)
  const options = { url: passing.url, key: 'sk_test_123', webhookSecret: 'whsec_123', clock: manualClock(0) }
  const state = await stripeProcessor(options).collect(request, new AbortController().signal)
  assert.match(state.reference ?? '', /^in_/)
  await stripeProcessor(options).collect({ ...request, reference: 'in_1' }, new AbortController().signal)
  await stripeProcessor(options).check(new AbortController().signal)
  assert.deepEqual(passing.calls, [
    'GET /v1/customers/search 200',
    'POST /v1/customers 200',
    'GET /v1/invoices 200',
    'POST /v1/invoices 200',
    'POST /v1/invoiceitems 200',
    'GET /v1/invoices/:id 200',
    'POST /v1/invoices/:id/finalize 200',
    'GET /v1/invoices/:id 200',
    'POST /v1/invoiceitems 200',
    'GET /v1/invoices/:id 200',
    'POST /v1/invoices/:id/finalize 200',
    'GET /v1/customers 200',
    'GET /v1/invoices 200',
  ])
})

/** Passes calls on, and notes them. The mock keeps no state: its invoices have a line, which a new draft has not, and another sum. */
async function passOn(target: URL) {
  const calls: string[] = []
  const server = createServer((req, res) => {
    void (async () => {
      const { host: _, ...headers } = req.headers
      const body = await buffer(req)
      const answer = await fetch(new URL(req.url ?? '', target), {
        method: req.method ?? 'GET',
        headers: headers as Record<string, string>,
        ...(body.length > 0 && { body: new Uint8Array(body) }),
      })
      const path = new URL(req.url ?? '', target).pathname.replace(/\/in_\w+/, '/:id')
      calls.push(`${req.method} ${path} ${answer.status}`)
      const object = (await answer.json()) as {
        readonly object: string
        readonly lines: { data: unknown[] }
        total: number
      }
      if (object.object === 'invoice') {
        object.lines.data = []
        object.total = request.cents
      }
      res.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(JSON.stringify(object))
    })()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    calls,
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
