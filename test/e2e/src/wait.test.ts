import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { clear, create, digit, ended, FOREVER_MS, reaches, spin } from './tasks.ts'
import { type Visited, visitServer } from './visited-server.ts'

let server: Visited
before(async () => {
  server = await visitServer()
  await ended(server, (await create(server, digit(0))).id)
})
after(() => server.leave())

test('a create that waits answers with the end', async () => {
  const answer = await server.request('POST', '/v1/tasks', { json: digit(5), headers: { prefer: 'wait=60' } })
  assert.equal(answer.status, 201)
  assert.equal(answer.headers['preference-applied'], 'wait')
  assert.equal(answer.body.status, 'succeeded')
  assert.equal(answer.body.output.digit, 5)
  assert.equal(answer.headers.location, `/v1/tasks/${answer.body.id}`)
})

test('a create that waits too short answers with what the task then is', async () => {
  const began = performance.now()
  const answer = await server.request('POST', '/v1/tasks', { json: spin(FOREVER_MS), headers: { prefer: 'wait=1' } })
  const took = performance.now() - began
  assert.equal(answer.status, 201)
  assert.equal(answer.headers['preference-applied'], 'wait')
  assert.match(answer.body.status, /^(queued|running)$/)
  assert.ok(took >= 950, `it took ${took} ms`)
  await clear(server, answer.body.id)
})

test('without a preference nothing waits and nothing is applied', async () => {
  const answer = await server.request('POST', '/v1/tasks', { json: spin(FOREVER_MS) })
  assert.equal(answer.body.status, 'queued')
  assert.ok(!('preference-applied' in answer.headers))
  await clear(server, answer.body.id)
})

test('preferences without a meaning are ignored (RFC 7240), others beside `wait` too', async () => {
  for (const prefer of ['wait=soon', 'wait=-1', 'wait', 'return=minimal', ';;,=', 'wait=1e3']) {
    const answer = await server.request('POST', '/v1/tasks', { json: digit(1), headers: { prefer } })
    assert.equal(answer.status, 201, prefer)
    assert.ok(!('preference-applied' in answer.headers), prefer)
  }
  const both = await server.request('POST', '/v1/tasks', {
    json: digit(1),
    headers: { prefer: 'respond-async, wait=60' },
  })
  assert.equal(both.body.status, 'succeeded')
})

test('a get waits for the next change', async () => {
  const { id } = await create(server, spin(FOREVER_MS))
  await reaches(server, id, 'running')
  const waiting = server.request('GET', `/v1/tasks/${id}`, { headers: { prefer: 'wait=60' } })
  const began = performance.now()
  await server.request('DELETE', `/v1/tasks/${id}`)
  const answer = await waiting
  assert.match(answer.body.status, /^cancel(ling|led)$/)
  assert.equal(answer.headers['preference-applied'], 'wait')
  assert.ok(performance.now() - began < 55_000)
  await ended(server, id)
})

test('a get of an ended task does not wait: nothing can change', async () => {
  const { id } = await create(server, digit(6))
  await ended(server, id)
  const began = performance.now()
  const answer = await server.request('GET', `/v1/tasks/${id}`, { headers: { prefer: 'wait=60' } })
  assert.equal(answer.body.status, 'succeeded')
  assert.ok(performance.now() - began < 55_000)
})

test('a client that goes away while it waits costs nothing', async () => {
  const { id } = await create(server, spin(FOREVER_MS))
  const gone = Array.from({ length: 20 }, () => {
    const caller = new AbortController()
    const answer = server.request('GET', `/v1/tasks/${id}`, { headers: { prefer: 'wait=60' }, signal: caller.signal })
    setImmediate(() => caller.abort())
    return answer
  })
  for (const outcome of await Promise.allSettled(gone)) assert.equal(outcome.status, 'rejected')
  await clear(server, id)
  assert.equal((await server.request('GET', `/v1/tasks/${id}`)).body.status, 'cancelled')
})
