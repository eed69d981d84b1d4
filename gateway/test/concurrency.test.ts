/** What an account, and a connection, may hold of a gateway at once. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { GatewayDeps } from '../src/gateway.ts'
import { problemIn } from './problem.ts'
import { start, validTask } from './start.ts'
import { openWire, requestText, type Wire } from './wire.ts'

type Started = Awaited<ReturnType<typeof start>>

async function startWith(t: TestContext, limits: NonNullable<GatewayDeps['limits']>) {
  const started = await start(t, { limits })
  const other = started.services.key(['*'], { accountId: 'acct_2' })
  return { ...started, asOther: { authorization: `Bearer ${other}` } }
}

async function until(isSo: () => boolean) {
  while (!isSo()) await new Promise(resolve => setImmediate(resolve))
}

const prefer = 'wait=60'

test('waits of an account are capped; one more is 429 and does nothing, another account has its own', {
  timeout: 120_000,
}, async t => {
  const { post, call, services, asOther } = await startWith(t, { waits: 2 })
  services.put({ id: 'a' })
  const waiting = [call('/v1/tasks/a', { headers: { prefer } }), post(validTask, { prefer })]
  await until(() => services.openWaits === 2)

  const refused = await post(validTask, { prefer })
  const problem = await problemIn(refused, 'concurrency_limited')
  assert.match(problem.detail, /^2 requests that wait/)
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  await problemIn(await call('/v1/tasks/a', { headers: { prefer } }), 'concurrency_limited')
  assert.equal(services.created.length, 1)

  assert.equal((await post(validTask)).status, 201, 'what does not wait is served')
  const others = call('/v1/tasks/a', { headers: { ...asOther, prefer } })
  await until(() => services.openWaits === 3)
  services.finish('a')
  for (const id of services.tasks.keys()) services.finish(id)
  await Promise.all([...waiting, others].map(answer => answer.then(({ status }) => assert.ok(status < 300))))
  assert.equal((await call('/v1/tasks/a', { headers: { prefer } })).status, 200, 'their places are given back')
})

test('requests of an account that are being answered are capped, until their answers are sent', {
  timeout: 120_000,
}, async t => {
  const { post, call, services, asOther } = await startWith(t, { requests: 2 })
  const gate = Promise.withResolvers<void>()
  services.createGate = gate.promise
  const open = [post(validTask), post(validTask)]
  await until(() => services.calls.length === 2)
  await problemIn(await call('/v1/tasks'), 'concurrency_limited')
  assert.equal((await call('/v1/tasks', { headers: asOther })).status, 200)
  gate.resolve()
  for (const answer of open) assert.equal((await answer).status, 201)
  await until(() => services.calls.length > 2)
  assert.equal((await call('/v1/tasks')).status, 200)
})

test('a request that is answered with events counts as a stream, and not as a request', async t => {
  const { post, call } = await startWith(t, { requests: 1, streams: 1 })
  const stream = await post(validTask, { accept: 'text/event-stream' })
  assert.equal(stream.status, 201)
  assert.equal((await call('/v1/tasks')).status, 200)
  await stream.body?.cancel()
})

/** Sends a head and a part of the body that it announces. */
async function sendPart({ port }: Started, key: string, announced: number, part: number): Promise<Wire> {
  const wire = await openWire(port)
  const headers = [`Authorization: Bearer ${key}`, 'Content-Type: application/json', `Content-Length: ${announced}`]
  wire.send(requestText('POST /v1/tasks', headers, '{'.repeat(part)))
  return wire
}

test('bytes of unfinished bodies are capped for each account, and given back when they end', {
  timeout: 120_000,
}, async t => {
  const started = await startWith(t, { bodyBytes: 1_000_000 })
  const { post, call, key, services, asOther } = started
  const large = JSON.stringify({ ...validTask, input: 'x'.repeat(300_000) })
  const slow = await sendPart(started, key, 800_000, 10)
  // The first request is admitted before the next is sent.
  const refusedAt = async (send: () => Promise<Response>) => {
    for (;;) {
      const answer = await send()
      if (answer.status === 429) return answer
      await answer.text()
    }
  }
  await problemIn(await refusedAt(() => post(large)), 'concurrency_limited')
  assert.equal((await post(validTask)).status, 201, 'a small body has room')
  const others = { ...asOther, 'content-type': 'application/json' }
  assert.equal((await call('/v1/tasks', { method: 'POST', headers: others, body: large })).status, 201)
  const before = services.created.length
  const chunked = { body: new Blob([large]).stream(), duplex: 'half' as const }
  const json = { 'content-type': 'application/json' }
  await problemIn(await call('/v1/tasks', { method: 'POST', headers: json, ...chunked }), 'concurrency_limited')
  assert.equal(services.created.length, before)

  slow.socket.destroy()
  let status = 429
  while (status === 429) status = (await post(large)).status
  assert.equal(status, 201)
})

test('bytes of bodies are given back where their requests are refused a wait or a stream', async t => {
  const { post, call, services } = await startWith(t, { waits: 1, streams: 1, bodyBytes: 2_000 })
  services.put({ id: 'a' })
  const waiting = call('/v1/tasks/a', { headers: { prefer } })
  const stream = await call('/v1/tasks/a/events', { headers: { accept: 'text/event-stream' } })
  await until(() => services.openWaits === 1)
  for (let times = 0; times < 50; times++) {
    await problemIn(await post(validTask, { prefer }), 'concurrency_limited')
    await problemIn(await post(validTask, { accept: 'text/event-stream' }), 'concurrency_limited')
  }
  assert.equal((await post(validTask)).status, 201)
  services.finish('a')
  await Promise.all([waiting, stream.body?.cancel()])
})

/** A caller asks for an answer larger than what systems take for a connection, and takes nothing of it. */
async function askAndReadNothing(t: TestContext, limits: NonNullable<GatewayDeps['limits']>, path = '/v1/tasks') {
  const started = await startWith(t, { answerBytes: 40_000, ...limits })
  const { port, key, services, call } = started
  services.put({ id: 'some', input: 'x'.repeat(20_000) })
  const large = 'x'.repeat(100_000)
  if (path === '/v1/tasks') for (let n = 0; n < 300; n++) services.put({ id: `task_${n}`, input: large })
  else services.put({ id: 'large', input: large.repeat(300) })
  const wire = await openWire(port)
  t.after(() => wire.socket.destroy())
  wire.socket.pause()
  wire.send(requestText(`GET ${path}`, [`Authorization: Bearer ${key}`]))
  /** Calls until the answer has that status. */
  const callUntil = async (status: number) => {
    for (;;) {
      const answer = await call('/v1/tasks/some')
      if (answer.status === status) return answer
      await answer.text()
    }
  }
  return { ...started, wire, callUntil }
}

test('bytes of answers that nobody reads are capped for each account, and given back', {
  timeout: 120_000,
}, async t => {
  const { call, services, asOther, wire, callUntil } = await askAndReadNothing(t, {})
  const problem = await problemIn(await callUntil(429), 'concurrency_limited')
  assert.match(problem.detail, /bytes of unread answers/)
  services.put({ id: 'small' })
  assert.equal((await call('/v1/tasks/small')).status, 200)
  assert.equal((await call('/v1/tasks/some', { headers: asOther })).status, 200)
  wire.socket.destroy()
  await callUntil(200)
})

for (const path of ['/v1/tasks', '/v1/tasks/large']) {
  test(`a connection whose answer nobody reads is closed: ${path}`, { timeout: 120_000 }, async t => {
    const { callUntil } = await askAndReadNothing(t, { readerMs: 100 }, path)
    await callUntil(429)
    await callUntil(200)
  })
}

test('a body of a caller who is not known is not read', { timeout: 120_000 }, async t => {
  const started = await start(t)
  const wire = await sendPart(started, 'mh_live_nobody', 1_000_000, 1_000)
  const answer = await wire.until('invalid_credentials')
  assert.match(answer, /^HTTP\/1\.1 401 [\s\S]*\r\nConnection: close\r\n/)
  await wire.rest()
})

test('of many requests that are sent at once on a connection some are taken, the others once those are answered', async t => {
  const { port, key, services, call } = await start(t)
  const gate = Promise.withResolvers<void>()
  services.createGate = gate.promise
  const wire = await openWire(port)
  const body = JSON.stringify(validTask)
  const head = [`Authorization: Bearer ${key}`, 'Content-Type: application/json', `Content-Length: ${body.length}`]
  wire.send(requestText('POST /v1/tasks', head, body).repeat(300) + requestText('GET /healthz', ['Connection: close']))
  await until(() => services.calls.length >= 8)
  for (let n = 0; n < 20; n++) await call('/v1/tasks')
  const taken = services.calls.length - 20
  assert.ok(taken <= 32, `${taken} were taken`)
  gate.resolve()
  const answers = (await wire.rest()).split('HTTP/1.1 ').slice(1)
  assert.deepEqual(
    answers.map(answer => answer.slice(0, 3)),
    [...Array.from({ length: 300 }, () => '201'), '200'],
  )
  const ids = answers.slice(0, 300).map(answer => /"id":"(\w+)"/.exec(answer)?.[1])
  assert.deepEqual(ids, ids.toSorted(), 'in order')
})

test('large bodies behind each other are read to their ends', async t => {
  const { port, key, services } = await start(t)
  const wire = await openWire(port)
  const body = JSON.stringify({ ...validTask, input: 'x'.repeat(30_000) })
  const head = [`Authorization: Bearer ${key}`, 'Content-Type: application/json', `Content-Length: ${body.length}`]
  wire.send(requestText('POST /v1/tasks', head, body).repeat(40) + requestText('GET /healthz', ['Connection: close']))
  assert.equal((await wire.rest()).split('HTTP/1.1 201').length - 1, 40)
  assert.equal(services.created.length, 40)
})
