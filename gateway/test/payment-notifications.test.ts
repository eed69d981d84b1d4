/** Notifications of the payment processor reach billing as they came, without a key of ours. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { fail } from '@millhand/api'
import { PaymentService } from '@millhand/api/gen/millhand/billing/v1/payment_service_pb.ts'
import { createDirectTransport, serve } from '@millhand/rpc'
import { problemIn } from './problem.ts'
import { start } from './start.ts'

it('a notification is passed on byte by byte, bounded, and refused as billing refuses it', async t => {
  const transport = createDirectTransport()
  const heard: [body: string, signature: string][] = []
  serve(router => {
    router.service(PaymentService, {
      receiveNotification({ body, signature }) {
        if (signature === 'forged') throw fail('invalid_parameter', 'It is not signed.', { param: 'Stripe-Signature' })
        heard.push([Buffer.from(body).toString('latin1'), signature])
        return {}
      },
    })
  }, transport)
  const { url } = await start(t, { services: [], transport })
  const send = (body: Uint8Array<ArrayBuffer>, signature?: string) =>
    fetch(`${url}/payments/notifications`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(signature !== undefined && { 'stripe-signature': signature }),
      },
      body,
    })
  const body = Buffer.from('{ "b":1,\r\n"a": "\u00e9" }', 'latin1')

  const answer = await send(body, 't=1,v1=2')
  assert.deepEqual([answer.status, await answer.json()], [200, { received: true }])
  assert.deepEqual(heard, [[body.toString('latin1'), 't=1,v1=2']])

  assert.equal((await problemIn(await send(body), 'missing_parameter')).param, 'Stripe-Signature')
  assert.equal((await problemIn(await send(body, 'forged'), 'invalid_parameter')).param, 'Stripe-Signature')
  assert.equal((await problemIn(await send(body, 'x'.repeat(4_097)), 'invalid_parameter')).param, 'Stripe-Signature')
  await problemIn(await send(Buffer.alloc(262_145), 't=1,v1=2'), 'payload_too_large')
  assert.equal((await send(Buffer.alloc(262_144), 't=1,v1=2')).status, 200)
  await problemIn(await fetch(`${url}/payments/notifications`), 'method_not_allowed')
  assert.equal(heard.length, 2)
})
