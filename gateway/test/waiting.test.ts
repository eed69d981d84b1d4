import assert from 'node:assert/strict'
import { test } from 'node:test'
import { preferredWait } from '../src/pipeline/prefer-wait.ts'
import type { FakeServices } from './fake-services.ts'
import { start, validTask } from './start.ts'
import { openWire, requestText } from './wire.ts'

const created = 'task_00000000000000000000000001'
const statusIn = async (response: Response) => ((await response.json()) as { status: string }).status

/** Resolves once `n` calls have begun to wait. */
async function waitingFor(services: FakeServices, n: number) {
  while (services.waits < n) await new Promise(resolve => setImmediate(resolve))
}

test('POST with Prefer: wait answers 201 with the ended task', async t => {
  const { post, services } = await start(t)
  const answer = post(validTask, { prefer: 'wait=60' })
  await waitingFor(services, 1)
  services.put({ id: created })
  services.finish(created)
  const response = await answer
  assert.equal(response.status, 201)
  assert.equal(response.headers.get('preference-applied'), 'wait')
  assert.equal(response.headers.get('location'), `/v1/tasks/${created}`)
  assert.equal(await statusIn(response), 'succeeded')
  const [create, wait] = services.calls
  assert.equal(wait?.requestId, create?.requestId)
  assert.ok(Number(wait?.timeoutMs) > 60_000)
})

test('a wait that is over answers with the task as it is', async t => {
  const { post, services } = await start(t)
  services.waitsAreOver = true
  const response = await post(validTask, { prefer: 'respond-async, wait=1' })
  assert.equal(response.status, 201)
  assert.equal(response.headers.get('preference-applied'), 'wait')
  assert.equal(await statusIn(response), 'queued')
})

test('GET waits for a change', async t => {
  const { call, services } = await start(t)
  services.put({ id: 'a' })
  const answer = call('/v1/tasks/a', { headers: { prefer: 'wait=60' } })
  await waitingFor(services, 1)
  services.put({ id: 'a', attempt: 1 })
  assert.equal(((await (await answer).json()) as { attempt: number }).attempt, 1)
})

test('GET does not wait for a task that has ended, nor where the caller holds another state', async t => {
  const { call, services } = await start(t)
  services.put({ id: 'a' })
  const stale = await call('/v1/tasks/a', { headers: { prefer: 'wait=60', 'if-none-match': '"other"' } })
  assert.equal(stale.headers.get('preference-applied'), 'wait')
  assert.equal(await statusIn(stale), 'queued')
  services.finish('a')
  const before = services.calls.length
  const ended = await call('/v1/tasks/a', { headers: { prefer: 'wait=60' } })
  assert.equal(ended.headers.get('preference-applied'), 'wait')
  assert.equal(await statusIn(ended), 'succeeded')
  assert.equal(services.calls.length, before + 1)
  assert.equal(services.waits, 0)
})

test('GET with the ETag of now waits, and is 304 where nothing has come of it', async t => {
  const { call, services } = await start(t)
  services.put({ id: 'a' })
  services.waitsAreOver = true
  const tag = (await call('/v1/tasks/a')).headers.get('etag') ?? ''
  const response = await call('/v1/tasks/a', { headers: { prefer: 'wait=1', 'if-none-match': tag } })
  assert.equal(response.status, 304)
  assert.equal(services.waits, 1)
})

test('who may write but not read does not wait', async t => {
  const { post, services } = await start(t)
  const authorization = `Bearer ${services.key(['tasks:write'])}`
  const response = await post(validTask, { prefer: 'wait=60', authorization })
  assert.equal(response.status, 201)
  assert.equal(response.headers.get('preference-applied'), null)
  assert.equal(services.waits, 0)
})

test('a task that was created is answered also where waiting for it fails', async t => {
  const { post, services, lines } = await start(t)
  const answer = post(validTask, { prefer: 'wait=60' })
  await waitingFor(services, 1)
  services.tasks.delete(created)
  services.put({ id: 'other' })
  const response = await answer
  assert.equal(response.status, 201)
  assert.equal(response.headers.get('preference-applied'), null)
  assert.ok(lines.some(({ event }) => event === 'wait.failed'))
})

test('a wait that is sent away goes on elsewhere, for what is left of its time', async t => {
  const { call, services, clock, lines } = await start(t)
  services.put({ id: 'a' })
  const answer = call('/v1/tasks/a', { headers: { prefer: 'wait=60' } })
  await waitingFor(services, 1)
  await clock.advance(20_000)
  services.refusesWaits = true
  services.put({ id: 'other' })
  while (services.openWaits > 0) await new Promise(resolve => setImmediate(resolve))
  services.refusesWaits = false
  while (services.waits < 2) await clock.advance(100)
  const leftMs = Number(services.calls.at(-1)?.timeoutMs)
  assert.ok(leftMs > 30_000 && leftMs <= 41_000, `${leftMs}`)
  services.finish('a')
  assert.equal(await statusIn(await answer), 'succeeded')
  assert.ok(lines.every(({ level }) => level === 'debug'))
})

test('a caller that leaves ends its wait, not its task', async t => {
  const { port, key, services, lines } = await start(t)
  const wire = await openWire(port)
  const body = JSON.stringify(validTask)
  const headers = [`Authorization: Bearer ${key}`, 'Content-Type: application/json', 'Prefer: wait=60']
  wire.send(requestText('POST /v1/tasks', [...headers, `Content-Length: ${body.length}`], body))
  await waitingFor(services, 1)
  wire.socket.destroy()
  while (services.openWaits > 0) await new Promise(resolve => setImmediate(resolve))
  assert.ok(services.tasks.has(created))
  assert.ok(lines.every(({ level }) => level === 'debug'))
})

test('wait is read as RFC 7240 has it; what has no meaning is ignored', () => {
  for (const [prefer, seconds] of [
    [undefined, 0],
    ['wait=5', 5],
    ['WAIT = "5"', 5],
    ['return=minimal, wait=5; strict=yes', 5],
    ['wait=5, wait=9', 5],
    ['wait=61', 60],
    ['wait=999999999', 60],
    ['wait=0', 0],
    ['wait', 0],
    ['wait=', 0],
    ['wait=-1', 0],
    ['wait=1.5', 0],
    ['wait=5s', 0],
    ['await=5', 0],
    ['wait="5', 0],
    ['', 0],
  ] as const) {
    assert.equal(preferredWait(prefer), seconds, prefer)
  }
})
