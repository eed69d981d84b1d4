/** Open streams whose reader may not read any more. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { EventReader } from './event-reader.ts'
import { now } from './fake-services.ts'
import { problemIn } from './problem.ts'
import { start } from './start.ts'

const path = '/v1/tasks/a/events'

/** A gateway with an open stream, read with `key`, or with a token that the key made. */
async function startReading(t: TestContext, by: 'key' | 'token') {
  const started = await start(t)
  const { services, url, call, clock, key } = started
  await clock.advance(0)
  services.put({ id: 'a' })
  services.streams.tell('a', { type: 'task.queued' })
  services.streams.tokens.set('token', 'a')
  const open = () => (by === 'key' ? call(path) : fetch(`${url}${path}?stream_token=token`))
  const reader = new EventReader(await open())
  await reader.block()
  assert.equal((await reader.event())?.event, 'task.queued')
  assert.equal(services.keys.idOf(key), 'key_1')
  return { ...started, reader, open }
}

for (const by of ['key', 'token'] as const) {
  for (const [code, change] of [
    ['revoked_credentials', { revokedAt: timestampFromMs(now) }],
    ['expired_credentials', { expiresAt: timestampFromMs(now + 700) }],
    ['account_suspended', { isSuspended: true }],
  ] as const) {
    test(`a stream that was opened by ${by} ends within a second with ${code}`, async t => {
      const { reader, services, clock, key, open } = await startReading(t, by)
      services.keys.change(key, change)
      await clock.advance(1_000)
      const { event, data } = (await reader.event()) ?? {}
      assert.equal(event, 'error')
      assert.equal(data.code, code)
      assert.equal(await reader.event(), undefined)
      assert.equal(services.streams.open, 0)
      await problemIn(await open(), code)
    })
  }
}

test('a stream goes on where something else has changed, and while identity is away', async t => {
  const { reader, services, clock, key } = await startReading(t, 'key')
  services.keys.change(key, { expiresAt: timestampFromMs(now + 86_400_000) })
  await clock.advance(1_000)
  services.keys.isAway = true
  services.keys.change(key, { revokedAt: timestampFromMs(now) })
  await clock.advance(5_000)
  services.streams.tell('a', { type: 'task.log' })
  assert.equal((await reader.event())?.event, 'task.log')
  services.keys.isAway = false
  await clock.advance(1_000)
  assert.equal((await reader.event())?.data.code, 'revoked_credentials')
})

test('a stream whose key can not be checked ends after 10 s, and its reader goes on with the last id it has', async t => {
  const { reader, services, clock, call } = await startReading(t, 'key')
  services.keys.isAway = true
  await clock.advance(10_000)
  services.streams.tell('a', { type: 'task.log' })
  const last = await reader.event()
  assert.equal(last?.event, 'task.log')
  await clock.advance(1_500)
  assert.equal((await reader.event())?.data.code, 'unavailable')
  assert.equal(await reader.event(), undefined)
  services.keys.isAway = false
  services.streams.tell('a', { type: 'task.progress' })
  const again = new EventReader(await call(path, { headers: { 'last-event-id': last.id as string } }))
  await again.block()
  assert.equal((await again.event())?.event, 'task.progress')
})
