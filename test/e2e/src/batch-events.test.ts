/** The end of a batch, as webhooks and the list of events tell it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { batchEnded, batchOnce, createBatch, linesOf } from './batches.ts'
import type { Wire } from './http.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { clearAll, digit, FOREVER_MS, spin } from './tasks.ts'
import { type Visited, visitServer } from './visited-server.ts'

let server: Visited
let receiver: Receiver
let secret: string
before(async () => {
  ;[server, receiver] = await Promise.all([visitServer(), startReceiver()])
  const json = { url: receiver.url('/batches'), events: ends }
  const webhook = await server.request('POST', '/v1/webhooks', { json })
  assert.equal(webhook.status, 201, webhook.text)
  secret = webhook.body.secret
})
after(async () => {
  await clearAll(server)
  await server.leave()
  await receiver[Symbol.asyncDispose]()
})

const ends = ['batch.completed', 'batch.cancelled', 'batch.expired']

/** The events of a batch in their order, once one of them is its end. */
async function eventsOf(id: string): Promise<Wire[]> {
  const deadline = performance.now() + 120_000
  for (;;) {
    const { body, text } = await server.request('GET', `/v1/events?resource_id=${id}&order=asc`)
    if (body.data.some(({ type }: Wire) => ends.includes(type))) return body.data
    assert.ok(performance.now() < deadline, text)
    await pause(50)
  }
}

/** The events of a batch have these types, and the last of them, also as the webhook has it, carries the batch. */
async function tells(batch: Wire, types: readonly string[]): Promise<void> {
  const events = await eventsOf(batch.id)
  assert.deepEqual(
    events.map(({ type }) => type),
    types,
  )
  const end = events.at(-1) as Wire
  assert.deepEqual(end.data.object, batch)
  const { headers, text, body } = await receiver.gets('/batches', ({ body }) => body.data.object.id === batch.id)
  assert.ok(new Webhook(secret).verify(text, headers as Record<string, string>))
  assert.deepEqual([body.id, body.type, body.data], [end.id, end.type, end.data])
}

test('a batch that was cancelled', async () => {
  const { id } = await createBatch(server, { tasks: [digit(1), spin(FOREVER_MS)], metadata: { of: 'events' } })
  await batchOnce(server, id, ({ counts }) => counts.succeeded === 1 && counts.running === 1)
  assert.equal((await server.request('DELETE', `/v1/batches/${id}`)).status, 200)
  const batch = await batchEnded(server, id)
  assert.deepEqual([batch.status, batch.counts.succeeded, batch.counts.cancelled], ['cancelled', 1, 1])
  await tells(batch, ['batch.created', 'batch.cancelling', 'batch.cancelled'])
})

test('a batch that expired: tasks that run when its window is over end as usual, the others are named', async () => {
  const tasks = Array(30).fill(spin(FOREVER_MS, { max_attempts: 1 }))
  const { id } = await createBatch(server, { tasks, completion_window_s: 60 })
  const { counts } = await batchOnce(server, id, ({ counts }) => counts.expired > 0 && counts.queued === 0)
  assert.ok(counts.running > 0, JSON.stringify(counts))
  const running = await server.request('GET', `/v1/tasks?batch_id=${id}&status=running&limit=100`)
  for (const task of running.body.data) await server.request('DELETE', `/v1/tasks/${task.id}`)
  const batch = await batchEnded(server, id)
  assert.equal(batch.status, 'expired')
  assert.equal(batch.counts.expired + batch.counts.cancelled, 30)
  const codes = (await linesOf(server, batch.error_file)).map(({ error }) => error.code)
  assert.deepEqual(new Set(codes), new Set(['batch_expired', 'cancelled']))
  assert.equal(codes.filter(code => code === 'batch_expired').length, batch.counts.expired)
  await tells(batch, ['batch.created', 'batch.expired'])
})
