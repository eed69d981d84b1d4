import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { type FakeServices, now } from './fake-services.ts'
import { problemIn } from './problem.ts'
import { start } from './start.ts'

const path = '/v1/tasks'

/** A gateway, and calls to it with a new key. */
async function startWithKey(...[t, told]: [Parameters<typeof start>[0], Parameters<FakeServices['key']>[1]?]) {
  const started = await start(t)
  await started.clock.advance(0) // The first poll.
  const key = started.services.key(['*'], told)
  const get = () => started.call(path, { headers: { authorization: `Bearer ${key}` } })
  return { ...started, key, get }
}

test('a key is asked for once, however long it is used', async t => {
  const { get, services, clock } = await startWithKey(t)
  for (let s = 0; s < 120; s += 10) {
    assert.equal((await get()).status, 200)
    await clock.advance(10_000)
  }
  assert.equal(services.keys.authentications, 1)
})

test('a revoked key is refused once the next poll has named it; so are the keys of a suspended account', async t => {
  const { get, services, key, clock } = await startWithKey(t)
  assert.equal((await get()).status, 200)
  services.keys.change(key, { revokedAt: timestampFromMs(now) })
  await clock.advance(499)
  assert.equal((await get()).status, 200)
  await clock.advance(1)
  await problemIn(await get(), 'revoked_credentials')
  services.keys.change(key, { isSuspended: true })
  await clock.advance(500)
  await problemIn(await get(), 'account_suspended')
  services.keys.change(key, { isSuspended: false })
  await clock.advance(500)
  assert.equal((await get()).status, 200)
})

test('what is not named is not asked for again, unless there is more than an answer tells', async t => {
  const { get, services, clock } = await startWithKey(t)
  await get()
  services.keys.change(services.key(['*'], { accountId: 'acct_2' }), {})
  await clock.advance(500)
  await get()
  assert.equal(services.keys.authentications, 1)
  services.keys.hasManyChanges = true
  await clock.advance(500)
  await get()
  assert.equal(services.keys.authentications, 2)
})

test('a remembered key ends the moment it expires', async t => {
  const { get, services, clock } = await startWithKey(t, { expiresAt: timestampFromMs(now + 100) })
  assert.equal((await get()).status, 200)
  await clock.advance(99)
  assert.equal((await get()).status, 200)
  await clock.advance(1)
  await problemIn(await get(), 'expired_credentials')
  assert.equal(services.keys.authentications, 1)
})

test('while no poll is answered keys are remembered for a second; then they are looked up, or it is 503', async t => {
  const { get, services, clock, lines } = await startWithKey(t)
  await get()
  services.keys.isAway = true
  await clock.advance(1_000)
  assert.equal((await get()).status, 200)
  await clock.advance(1)
  const response = await get()
  const problem = await problemIn(response, 'unavailable')
  assert.ok(response.headers.get('retry-after'))
  assert.doesNotMatch(JSON.stringify(problem), /10\.1\.2\.3/)
  assert.equal(lines.find(line => line.event === 'request.failed')?.level, 'warn')
  await clock.advance(5_000)
  assert.equal(lines.filter(line => line.event === 'identity.away').length, 1)
  services.keys.isAway = false
  assert.equal((await get()).status, 200)
  assert.equal((await get()).status, 200)
  const before = services.keys.authentications
  await clock.advance(500)
  assert.equal((await get()).status, 200)
  assert.equal(services.keys.authentications, before)
})

test('an answer that a change of the key has overtaken is not used, also not for who came after it', async t => {
  const { get, services, key, clock } = await startWithKey(t)
  const gate = Promise.withResolvers<void>()
  services.keys.gate = gate.promise
  const before = get()
  while (services.keys.authentications === 0) await new Promise(resolve => setImmediate(resolve))
  services.keys.change(key, { revokedAt: timestampFromMs(now) })
  await clock.advance(500)
  const after = get()
  gate.resolve()
  await problemIn(await before, 'revoked_credentials')
  await problemIn(await after, 'revoked_credentials')
})

test('an answer that a change of another key has overtaken is remembered', async t => {
  const { get, services, clock } = await startWithKey(t)
  const gate = Promise.withResolvers<void>()
  services.keys.gate = gate.promise
  const asked = get()
  while (services.keys.authentications === 0) await new Promise(resolve => setImmediate(resolve))
  services.keys.change(services.key(['*'], { accountId: 'acct_2' }), { revokedAt: timestampFromMs(now) })
  await clock.advance(500)
  gate.resolve()
  assert.deepEqual([(await asked).status, (await get()).status], [200, 200])
  assert.equal(services.keys.authentications, 1)
})

test('uses of keys are told once a minute, and when the gateway stops', async t => {
  const { get, gateway, services, key, clock } = await startWithKey(t)
  await get()
  await clock.advance(1_000)
  await get()
  assert.equal(services.keys.uses.length, 0)
  await clock.advance(59_000)
  const told = () => services.keys.uses.map(use => [use.key?.accountId, use.key?.keyId, Number(use.usedAt?.seconds)])
  const use = (atMs: number) => ['acct_1', services.keys.idOf(key), Math.floor(atMs / 1000)]
  assert.deepEqual(told(), [use(now + 1_000)])
  await get()
  await gateway.close()
  assert.deepEqual(told(), [use(now + 1_000), use(now + 60_000)])
})

test('the first request of a suspended account is refused too', async t => {
  const { get } = await startWithKey(t, { isSuspended: true })
  await problemIn(await get(), 'account_suspended')
})
