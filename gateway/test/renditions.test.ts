/** An answer in another media type than JSON, by `Accept`. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { fail } from '@millhand/api'
import { BillingService } from '@millhand/api/gen/millhand/billing/v1/billing_service_pb.ts'
import { createDirectTransport, principal, serve } from '@millhand/rpc'
import { start } from './start.ts'

it('an invoice is rendered by Accept, for its account alone', async t => {
  const transport = createDirectTransport()
  serve(router => {
    router.service(BillingService, {
      getInvoice: ({ id }) => ({ id, number: 7 }),
      renderInvoice({ id, mediaType }, call) {
        if (id !== 'inv_1') throw fail('not_found', 'There is no such invoice.')
        return {
          filename: `invoice-7.${mediaType === 'text/csv' ? 'csv' : 'pdf'}`,
          content: Buffer.from(`${principal(call).accountId} ${mediaType}`),
        }
      },
    })
  }, transport)
  const { call, services, url } = await start(t, { services: [BillingService], transport })
  const get = (accept?: string, more: Record<string, string> = {}, id = 'inv_1') =>
    call(`/v1/billing/invoices/${id}`, { headers: { ...(accept !== undefined && { accept }), ...more } })

  for (const accept of [undefined, '*/*', 'application/json', 'text/csv;q=0.1, application/*;q=0.9']) {
    const answer = await get(accept)
    assert.equal(answer.headers.get('content-type'), 'application/json', accept)
    assert.equal(answer.headers.get('vary'), 'Accept')
    assert.equal(((await answer.json()) as { number: number }).number, 7)
  }
  const csv = await get('text/csv, */*;q=0.1')
  assert.deepEqual(
    [csv.status, csv.headers.get('content-type'), csv.headers.get('content-disposition')],
    [200, 'text/csv', 'attachment; filename="invoice-7.csv"'],
  )
  assert.match(await csv.text(), /^acct_\w+ text\/csv$/)
  const pdf = await get('application/pdf')
  const [tag = '', other = ''] = [pdf.headers.get('etag') ?? '', csv.headers.get('etag') ?? '']
  assert.match(tag, /^"[0-9a-f]{64}"$/)
  assert.notEqual(tag, other)
  const held = await get('application/pdf', { 'if-none-match': tag })
  assert.deepEqual([held.status, await held.text()], [304, ''])
  assert.equal((await get('application/pdf', { 'if-none-match': other })).status, 200)
  assert.equal(
    (await call('/v1/billing/invoices/inv_1', { method: 'HEAD', headers: { accept: 'text/csv' } })).status,
    200,
  )

  assert.equal((await get('text/csv', {}, 'inv_2')).status, 404)
  assert.equal((await call('/v1/billing/invoices/inv_1?x=1', { headers: { accept: 'text/csv' } })).status, 400)
  for (const accept of ['text/html', 'image/*', 'application/json;q=0']) {
    const refused = await get(accept)
    assert.equal(refused.status, 406)
    const { code, detail } = (await refused.json()) as { code: string; detail: string }
    assert.equal(code, 'not_acceptable')
    assert.match(detail, /application\/json, text\/csv, application\/pdf/)
  }
  const weak = services.key(['tasks:read'])
  const headers = { authorization: `Bearer ${weak}`, accept: 'text/csv' }
  assert.equal((await fetch(`${url}/v1/billing/invoices/inv_1`, { headers })).status, 403)
})
