/** A deployment hears of payments from who has signed them, and says nothing of its secrets. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { it } from 'node:test'
import { freePort } from '@millhand/test-servers'
import { startServer } from './server.ts'

const [KEY, SECRET] = ['sk_test_51HcOfNoAccountAtAll', 'whsec_ofNoEndpointAtAll']

it('takes what the payment processor has signed, and refuses what it has not', { timeout: 300_000 }, async () => {
  await using server = await startServer({
    env: {
      MILLHAND_PAYMENT_PROCESSOR: 'stripe',
      MILLHAND_STRIPE_KEY: KEY,
      MILLHAND_STRIPE_WEBHOOK_SECRET: SECRET,
      // Nobody listens there.
      MILLHAND_STRIPE_URL: `http://127.0.0.1:${await freePort()}`,
    },
  })
  const send = (body: string, signature: string) =>
    fetch(`${server.url}/payments/notifications`, {
      method: 'POST',
      headers: { 'stripe-signature': signature },
      body,
    })
  const signed = (body: string, at = Date.now(), secret = SECRET) => {
    const seconds = Math.floor(at / 1_000)
    return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`
  }
  const metadata = { millhand_account: 'acct_00000000000000000000000000', millhand_invoice: 'inv_0' }
  const invoice = { id: 'in_1', object: 'invoice', status: 'paid', metadata }
  const body = JSON.stringify({ id: 'evt_1', object: 'event', type: 'invoice.paid', data: { object: invoice } })

  // The same one twice, one of something else, and one of no event at all.
  const other = JSON.stringify({ id: 'evt_2', object: 'event', type: 'customer.created', data: { object: {} } })
  for (const each of [body, body, other, 'null', '{"type":"invoice.paid"}']) {
    const taken = await send(each, signed(each))
    assert.deepEqual([taken.status, await taken.json()], [200, { received: true }], each)
  }
  for (const signature of [
    signed(body, Date.now(), 'whsec_another'),
    signed(body, Date.now() - 600_000),
    'x',
    signed(''),
  ]) {
    const refused = await send(body, signature)
    const { code, param } = (await refused.json()) as { code: string; param: string }
    assert.deepEqual([refused.status, code, param], [400, 'invalid_parameter', 'Stripe-Signature'])
  }
  // What was wrong at the start is told with its reason, and the rest serves.
  for (
    const deadline = performance.now() + 300_000;
    !JSON.stringify(server.logs()).includes('billing.processor_check_failed');
  ) {
    assert.ok(performance.now() < deadline, 'the log says that Stripe is not reached')
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  const logs = JSON.stringify(server.logs())
  assert.match(logs, /ECONNREFUSED/)
  for (const secret of [KEY, SECRET]) assert.ok(!logs.includes(secret), 'no log has a secret')
})
