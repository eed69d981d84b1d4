/** What is told of an answer that was kept, and to whom. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fail } from '@millhand/api'
import { EventReader } from './event-reader.ts'
import { problemIn } from './problem.ts'
import { start, validTask } from './start.ts'

const keyed = { 'idempotency-key': 'order 66' }

const turn = () => new Promise(resolve => setImmediate(resolve))

test('a replay of events attaches to those of the first task, from their beginning', async t => {
  const { post, services } = await start(t)
  const streamed = { ...validTask, stream: true }
  const first = new EventReader(await post(streamed, keyed))
  const [id] = [...services.tasks.keys()] as [string]
  services.streams.tell(id, { type: 'task.queued' }, { type: 'task.started' })
  assert.equal((await first.event())?.event, 'task.queued')
  const again = new EventReader(await post(streamed, keyed))
  assert.deepEqual(
    [again.response.status, again.response.headers.get('location'), again.response.headers.get('idempotent-replayed')],
    [201, `/v1/tasks/${id}`, 'true'],
  )
  services.streams.tell(id, { type: 'task.succeeded' })
  assert.deepEqual(
    (await again.rest()).map(({ event }) => event),
    ['task.queued', 'task.started', 'task.succeeded'],
  )
  await first.rest()
  assert.equal(services.created.length, 1)
})

test('a secret is kept so that only who was told it can read it', async t => {
  const { call, services } = await start(t)
  const { id } = services.put({ id: 'task_00000000000000000000000001' })
  const ask = (headers: Record<string, string> = {}) =>
    call(`/v1/tasks/${id}/stream_token`, { method: 'POST', headers: { ...keyed, ...headers } })
  const bytes = await (await ask()).text()
  const { token } = JSON.parse(bytes) as { token: string }
  const { answer } = services.idempotency.only
  assert.ok(answer?.secret && !Buffer.from(answer.body).includes(token))
  assert.equal(await (await ask()).text(), bytes)
  const authorization = `Bearer ${services.key(['*'])}`
  const problem = await problemIn(await ask({ authorization }), 'idempotency_mismatch')
  assert.match(problem.detail, /API key/)
})

test('an answer that shows what is gone is not given again, and not kept by who is at it', async t => {
  const { call, post, services } = await start(t)
  services.waitsAreOver = true
  const first = await post(validTask, { ...keyed, prefer: 'wait=1' })
  const { id, input } = (await first.json()) as { id: string; input: string }
  assert.equal(input, validTask.input)
  services.finish(id)
  services.idempotency.away = new Set(['reopen'])
  services.failure = fail('invalid_state', 'It has not ended.')
  const remove = () => call(`/v1/tasks/${id}/data`, { method: 'DELETE' })
  await problemIn(await remove(), 'invalid_state')
  assert.ok(!services.idempotency.calls.includes('reopen'))
  services.failure = undefined
  services.idempotency.away = new Set()
  assert.equal((await remove()).status, 200)
  const again = await post(validTask, keyed)
  assert.equal(again.headers.get('idempotent-replayed'), null)
  const left = (await again.json()) as Record<string, unknown>
  assert.deepEqual([left.id, left.input, left.output], [id, undefined, undefined])
  assert.equal(services.created.length, 1)
})

test('while identity is away data is not said to be gone', async t => {
  const { call, services, clock } = await start(t)
  const { id } = services.put({ id: 'task_00000000000000000000000001' })
  services.idempotency.away = new Set(['reopen'])
  const answer = call(`/v1/tasks/${id}/data`, { method: 'DELETE' })
  while (services.idempotency.calls.length === 0) await turn()
  await clock.advance(5_000)
  await problemIn(await answer, 'unavailable')
})

test('what a wait showed is replayed only to who may read it', async t => {
  const { post, services } = await start(t)
  const authorization = `Bearer ${services.key(['tasks:write'])}`
  services.waitsAreOver = true
  const first = await (await post(validTask, { ...keyed, prefer: 'wait=1' })).text()
  const refused = await post(validTask, { ...keyed, authorization })
  await problemIn(refused, 'insufficient_scope')
  assert.match(refused.headers.get('www-authenticate') ?? '', /error="insufficient_scope", scope="tasks:read"$/)
  assert.equal(refused.headers.get('idempotent-replayed'), null)
  assert.equal(await (await post(validTask, keyed)).text(), first)
  const own = { 'idempotency-key': 'own', prefer: 'wait=1', authorization }
  assert.equal((await post(validTask, own)).status, 201)
  assert.equal((await post(validTask, own)).headers.get('idempotent-replayed'), 'true')
})

test('who goes on with an operation is told how it ended only where they may read it', async t => {
  const { post, services } = await start(t)
  services.idempotency.away = new Set()
  await post(validTask, keyed)
  services.idempotency.only.answer = undefined // It was lost, and its lease has ended.
  services.idempotency.only.holder = undefined
  services.finish([...services.tasks.keys()][0] as string)
  const authorization = `Bearer ${services.key(['tasks:write'])}`
  await problemIn(await post(validTask, { ...keyed, authorization }), 'insufficient_scope')
})

test('what the sandbox answers with has the headers of the real thing, and is not kept where that is not', async t => {
  for (const [code, header, value, isKept] of [
    ['idempotency_in_progress', 'retry-after', '1', false],
    ['insufficient_scope', 'www-authenticate', 'Bearer realm="millhand", error="insufficient_scope"', false],
    ['invalid_credentials', 'www-authenticate', 'Bearer realm="millhand", error="invalid_token"', false],
    ['method_not_allowed', 'allow', '', true],
  ] as const) {
    const { post, services } = await start(t)
    services.failure = fail(code, 'So it is.')
    const first = await post(validTask, keyed)
    assert.equal(first.headers.get(header), value, code)
    services.failure = undefined
    const again = await post(validTask, keyed)
    assert.equal(again.status, isKept ? first.status : 201, code)
    if (isKept) assert.equal(again.headers.get(header), value)
  }
})
