/** A create that is answered with the events of what it made. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fail } from '@millhand/api'
import { prefersEvents } from '../src/streams/stream-on-create.ts'
import { EventReader } from './event-reader.ts'
import { problemIn } from './problem.ts'
import { start, validTask } from './start.ts'

const created = 'task_00000000000000000000000001'

for (const [name, body, headers] of [
  ['stream: true', { ...validTask, stream: true }, {}],
  ['Accept: text/event-stream', validTask, { accept: 'text/event-stream' }],
] as const) {
  test(`${name} answers a create with its events`, async t => {
    const { post, services } = await start(t)
    services.streams.tell(created, { type: 'task.queued' }, { type: 'task.started' })
    const reader = new EventReader(await post(body, { ...headers, prefer: 'wait=60' }))
    assert.equal(reader.response.status, 201)
    assert.equal(reader.response.headers.get('location'), `/v1/tasks/${created}`)
    assert.equal((await reader.event())?.event, 'task.queued')
    assert.equal((await reader.event())?.event, 'task.started')
    services.streams.tell(created, { type: 'task.succeeded' })
    assert.deepEqual(
      (await reader.rest()).map(({ event }) => event),
      ['task.succeeded'],
    )
    assert.equal(services.created.length, 1)
    assert.deepEqual(services.streams.asked, [undefined])
  })
}

test('who may not read the events is refused before the create', async t => {
  const { post, services } = await start(t)
  const authorization = `Bearer ${services.key(['tasks:write'])}`
  const problem = await problemIn(await post({ ...validTask, stream: true }, { authorization }), 'insufficient_scope')
  assert.match(problem.detail, /tasks:read/)
  assert.equal(services.created.length, 0)
  assert.equal((await post(validTask, { authorization })).status, 201)
})

test('a create that fails is a problem, as without events', async t => {
  const { post, services } = await start(t, { limits: { streams: 1 } })
  services.failure = fail('model_input_invalid', 'x')
  for (let n = 0; n < 3; n++) await problemIn(await post({ ...validTask, stream: true }), 'model_input_invalid')
})

test('what fails after the create is an event, never the answer', async t => {
  const { post, services } = await start(t)
  services.streams.failure = fail('internal', 'x')
  const reader = new EventReader(await post({ ...validTask, stream: true }))
  assert.equal(reader.response.status, 201)
  assert.deepEqual(
    (await reader.rest()).map(({ event, data }) => [event, data.code]),
    [['error', 'internal']],
  )
})

test('`Accept` is for events where it names them and likes JSON less', () => {
  for (const [accept, expected] of [
    [undefined, false],
    ['*/*', false],
    ['application/json', false],
    ['text/*', false],
    ['text/event-stream', true],
    ['Text/Event-Stream; charset=utf-8', true],
    ['text/event-stream;q=0', false],
    ['application/json, text/event-stream', false],
    ['text/event-stream, application/json;q=0.9', true],
    ['text/event-stream;q=0.5, application/json;q=0.4', true],
    ['text/event-stream;q=0.4, application/json;q=0.5', false],
    ['text/event-stream, */*', false],
    ['text/event-stream, */*;q=0.1', true],
    ['text/event-stream;q=0.5, application/*;q=0.8', false],
    ['text/event-stream;q=0.5, application/json;q=0.1, */*', true],
    ['text/event-stream, text/html', true],
  ] as const) {
    assert.equal(prefersEvents(accept), expected, accept)
  }
})
