import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { after, afterEach, before, test } from 'node:test'
import { openEvents } from './event-stream.ts'
import type { Answer, RequestOptions } from './http.ts'
import { assertProblem, clearAll, digit, ended, FOREVER_MS, spin } from './tasks.ts'
import { type Visited, visitServer } from './visited-server.ts'

let server: Visited
before(async () => {
  server = await visitServer()
})
after(() => server.leave())
afterEach(() => clearAll(server))

const keyed = () => ({ 'idempotency-key': randomUUID() })

const post = (path: string, headers: Record<string, string>, options: RequestOptions = {}) =>
  server.request('POST', path, { ...options, headers: { ...headers, ...options.headers } })

const tasksWith = async (mark: string) =>
  (await server.request('GET', `/v1/tasks?metadata%5Bmark%5D=${mark}`)).body.data.map((task: { id: string }) => task.id)

/** What of two answers must be the same: everything but what is said to each request. */
function assertReplay(again: Answer, first: Answer) {
  assert.equal(again.status, first.status, again.text)
  assert.ok(again.bytes.equals(first.bytes), again.text)
  for (const name of ['content-type', 'location', 'etag', 'preference-applied']) {
    assert.equal(again.headers[name], first.headers[name], name)
  }
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assert.equal(first.headers['idempotent-replayed'], undefined)
  assert.notEqual(again.headers['x-request-id'], first.headers['x-request-id'])
}

test('a create that is sent again is answered as the first time, also when the task has changed', async () => {
  const key = keyed()
  const mark = randomUUID()
  const json = digit(3, { metadata: { mark } })
  const first = await post('/v1/tasks', key, { json })
  assert.equal(first.status, 201, first.text)
  await ended(server, first.body.id)
  assertReplay(await post('/v1/tasks', key, { json }), first)
  assert.equal(first.headers.location, `/v1/tasks/${first.body.id}`)
  assert.deepEqual(await tasksWith(mark), [first.body.id])
})

test('of eight at once one is made, and whoever is told of one is told of that', async () => {
  for (let round = 0; round < 10; round++) {
    const key = keyed()
    const mark = randomUUID()
    const json = digit(1, { metadata: { mark } })
    const answers = await Promise.all(Array.from({ length: 8 }, () => post('/v1/tasks', key, { json })))
    const made = answers.filter(({ status }) => status === 201)
    for (const other of answers.filter(({ status }) => status !== 201)) {
      assertProblem(other, 409, 'idempotency_in_progress')
      assert.match(other.headers['retry-after'] ?? '', /^[1-9]/)
    }
    assert.equal(new Set(made.map(({ text }) => text)).size, 1)
    assert.deepEqual(await tasksWith(mark), [made[0]?.body.id])
  }
})

test('another request with the same key is refused', async () => {
  const key = keyed()
  const json = digit(1)
  const { body } = await post('/v1/tasks', key, { json })
  assertProblem(await post('/v1/tasks', key, { json: digit(2) }), 422, 'idempotency_mismatch')
  assertProblem(await post(`/v1/tasks/${body.id}/stream_token`, key), 422, 'idempotency_mismatch')
})

test('data that is deleted is in no answer that is kept', async () => {
  const key = keyed()
  const json = digit(7)
  const first = await post('/v1/tasks', key, { json, headers: { prefer: 'wait=60' } })
  assert.ok(first.body.input && first.body.output, first.text)
  assert.equal((await server.request('DELETE', `/v1/tasks/${first.body.id}/data`)).status, 200)
  const again = await post('/v1/tasks', key, { json })
  assert.deepEqual([again.status, again.body.id, again.body.status], [201, first.body.id, 'succeeded'])
  assert.deepEqual([again.body.input, again.body.output], [undefined, undefined])
  assertReplay(await post('/v1/tasks', key, { json }), again)
})

test('an answer that shows an output is repeated to who may read one', async () => {
  const key = keyed()
  const json = digit(8)
  const first = await post('/v1/tasks', key, { json, headers: { prefer: 'wait=60' } })
  const made = await server.request('POST', '/v1/api_keys', { json: { name: 'writer', scopes: ['tasks:write'] } })
  const refused = await post('/v1/tasks', { ...key, authorization: `Bearer ${made.body.key}` }, { json })
  assertProblem(refused, 403, 'insufficient_scope')
  assert.match(refused.headers['www-authenticate'] ?? '', /scope="tasks:read"/)
  assertReplay(await post('/v1/tasks', key, { json }), first)
})

test('what is no request is not kept: mended, it is done with the same key', async () => {
  for (const broken of [
    { ...digit(1), type: undefined },
    { ...digit(1), input: undefined },
  ]) {
    const key = keyed()
    assertProblem(await post('/v1/tasks', key, { json: broken }), 400, 'missing_parameter')
    assert.equal((await post('/v1/tasks', key, { json: digit(1) })).status, 201)
  }
})

test('a refusal by the service is repeated; one of what can not be read is not', async () => {
  const key = keyed()
  assertProblem(await post('/v1/tasks', key, { json: { ...digit(1), size: 1 } }), 400, 'unknown_parameter')
  const wrong = { type: 'inference', model: 'nope', input: 'x' }
  const first = await post('/v1/tasks', key, { json: wrong })
  assert.equal(first.body.code, 'invalid_parameter')
  assertReplay(await post('/v1/tasks', key, { json: wrong }), first)
})

test('keys have a form, on POST', async () => {
  for (const key of ['', 'x'.repeat(256), '\u00e4']) {
    const answer = await post('/v1/tasks', { 'idempotency-key': key }, { json: digit(1) })
    assertProblem(answer, 400, 'invalid_idempotency_key')
  }
  const list = await server.request('GET', '/v1/tasks', { headers: { 'idempotency-key': '' } })
  assert.equal(list.status, 200)
})

test('who waits gets the end, and the same end again', async () => {
  const key = keyed()
  const json = digit(5)
  const headers = { prefer: 'wait=60' }
  const first = await post('/v1/tasks', key, { json, headers })
  assert.deepEqual([first.body.status, first.headers['preference-applied']], ['succeeded', 'wait'])
  assertReplay(await post('/v1/tasks', key, { json, headers }), first)
})

test('a stream that is asked for again is that of the first task, from its beginning', async () => {
  const key = keyed()
  const mark = randomUUID()
  const json = digit(7, { stream: true, metadata: { mark } })
  const read = async () => {
    const headers = { authorization: `Bearer ${server.key}`, ...key }
    using stream = await openEvents(`${server.url}/v1/tasks`, { method: 'POST', headers, json })
    assert.equal(stream.status, 201)
    const events = []
    for await (const { id, type } of stream) events.push(`${id} ${type}`)
    return { events, location: stream.headers.location, replayed: stream.headers['idempotent-replayed'] }
  }
  const first = await read()
  const again = await read()
  assert.match(first.events[0] ?? '', /task\.queued$/)
  assert.match(first.events.at(-1) ?? '', /task\.succeeded$/)
  assert.deepEqual(again, { ...first, replayed: 'true' })
  assert.equal(first.replayed, undefined)
  assert.equal((await tasksWith(mark)).length, 1)
})

test('a file that is uploaded again is the first one, once', async () => {
  const key = keyed()
  const bytes = Buffer.alloc(300_000, randomUUID())
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const upload = (raw: Buffer) => post('/v1/files', { ...key, 'content-type': 'text/plain' }, { raw })
  const first = await upload(bytes)
  assert.deepEqual([first.status, first.body.sha256], [201, sha256], first.text)
  assertReplay(await upload(bytes), first)
  assertProblem(await upload(Buffer.from('other')), 422, 'idempotency_mismatch')
  const { data } = (await server.request('GET', '/v1/files')).body
  assert.equal(data.filter((file: { sha256: string }) => file.sha256 === sha256).length, 1)
})

test('a caller that leaves has made its task all the same', async () => {
  const key = keyed()
  const mark = randomUUID()
  const json = spin(FOREVER_MS, { metadata: { mark } })
  const leaving = new AbortController()
  const left = post('/v1/tasks', key, { json, headers: { prefer: 'wait=60' }, signal: leaving.signal })
  left.catch(() => {})
  let made: string[] = []
  while (made.length === 0) made = await tasksWith(mark)
  leaving.abort()
  await assert.rejects(left)
  let again = await post('/v1/tasks', key, { json })
  while (again.status === 409) again = await post('/v1/tasks', key, { json })
  assert.deepEqual([again.status, again.body.id], [201, made[0]])
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assert.deepEqual(await tasksWith(mark), made)
})

test('live and test have keys of their own', async () => {
  const key = keyed()
  const json = digit(1)
  const live = await post('/v1/tasks', key, { json })
  const headers = { authorization: `Bearer ${server.testKey}` }
  const sandbox = await post('/v1/tasks', key, { json: digit(2), headers })
  assert.notEqual(sandbox.status, 422)
  assert.equal(sandbox.headers['idempotent-replayed'], undefined)
  assertReplay(await post('/v1/tasks', key, { json }), live)
})

test('a key that was made is shown again, to who has made it alone', async () => {
  const key = keyed()
  const json = { name: 'once', scopes: ['tasks:read', 'tasks:write'] }
  const first = await post('/v1/api_keys', key, { json })
  assert.equal(first.status, 201, first.text)
  assertReplay(await post('/v1/api_keys', key, { json }), first)
  const another = await post('/v1/api_keys', keyed(), { json: { name: 'other', scopes: ['*'] } })
  const headers = { authorization: `Bearer ${another.body.key}` }
  assertProblem(await post('/v1/api_keys', key, { json, headers }), 422, 'idempotency_mismatch')
  const { data } = (await server.request('GET', '/v1/api_keys?limit=100')).body
  assert.equal(data.filter(({ name }: { name: string }) => name === 'once').length, 1)
  assert.ok(!(await server.logs()).includes(first.body.key))
})

test('what was answered is answered so after a restart', async () => {
  const key = keyed()
  const json = digit(9)
  const first = await post('/v1/tasks', key, { json, headers: { prefer: 'wait=60' } })
  await server.kill()
  await server.restart()
  assertReplay(await post('/v1/tasks', key, { json }), first)
})
