import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TaskStatus } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { entityTag, isHeld } from '../src/etag.ts'
import { start } from './start.ts'

const path = '/v1/tasks/a'

test('If-None-Match that holds is 304 without a body', async t => {
  const { call, services } = await start(t)
  services.put({ id: 'a' })
  const tag = (await call(path)).headers.get('etag') ?? ''
  for (const method of ['GET', 'HEAD']) {
    const response = await call(path, { method, headers: { 'if-none-match': `"other", ${tag}` } })
    assert.equal(response.status, 304)
    assert.equal(response.headers.get('etag'), tag)
    assert.equal(response.headers.get('content-length'), null)
    assert.equal(await response.text(), '')
  }
})

test('any change but that of the position makes another ETag', async t => {
  const { call, services } = await start(t)
  const tag = async () => (await call(path)).headers.get('etag')
  const task = services.put({ id: 'a', position: 3 })
  const first = await tag()
  services.tasks.set('a', { ...task, position: 2 })
  assert.equal(await tag(), first)
  const { position: _, ...unplaced } = task
  services.tasks.set('a', unplaced)
  assert.equal(await tag(), first)
  services.tasks.set('a', { ...task, status: TaskStatus.RUNNING })
  assert.notEqual(await tag(), first)
})

test('lists and what POST answers have none', async t => {
  const { call, post } = await start(t)
  assert.equal((await call('/v1/tasks')).headers.get('etag'), null)
  assert.equal((await post({ type: 'inference', model: 'm', input: 'x' })).headers.get('etag'), null)
})

test('tags compare weakly, in lists too, and * is any', () => {
  const tag = entityTag('text')
  const strong = tag.slice(2)
  for (const held of [tag, strong, `"a",${strong}`, `W/"a" , ${tag}`, '*', ' * ']) assert.ok(isHeld(tag, held), held)
  for (const held of [undefined, '', '"a"', strong.slice(1, -1), `${strong}x`]) assert.ok(!isHeld(tag, held), held)
})
