/** What a replica ran is in its record before the engine forgets it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { World } from './engine.fixture.ts'
import { changeInstance } from './instance-store.ts'

test('a replica that has ended stays in the engine until the record has its end', async () => {
  const world = await World.open({ a: { cpu: 10 } })
  const owner = world.owner()
  const id = await world.create({ replicas: 1 })
  await world.pass(owner, { count: 5 })
  const [name = ''] = world.running()
  const startedAt = (await world.get(id)).slots[0]?.started_at ?? 0
  world.engine.setLost('a', true)
  await world.pass(owner)
  await changeInstance(world.deps, 'acct_1/live', id, { kind: 'delete', now: world.clock.now() })
  await world.pass(owner)
  world.engine.end(name, { exitCode: 0 })
  const endedAt = world.clock.now()
  await world.clock.advance(3_000)
  world.engine.setLost('a', false)
  const isLost = world.loseNextWrite()
  await world.pass(owner)
  assert.ok(isLost())
  // An engine that is killed now forgets the end of what is not there any more.
  world.engine.ends.clear()
  await world.pass(owner, { count: 3 })
  assert.equal((await world.get(id)).status, 'terminated')
  assert.equal(world.meteredMs(), endedAt - startedAt)
  await world.close()
})

test('what is removed is metered until its end, also where the owner and the engine die right after', async () => {
  const world = await World.open({ a: { cpu: 10 } })
  const dying = new AbortController()
  const id = await world.create({ replicas: 1 })
  const owner = world.owner()
  await world.pass(owner, { count: 5, signal: dying.signal })
  const startedAt = (await world.get(id)).slots[0]?.started_at ?? 0
  await world.clock.advance(4_000)
  await changeInstance(world.deps, 'acct_1/live', id, { kind: 'delete', now: world.clock.now() })
  const endedAt = world.clock.now()
  await owner.pass(dying.signal)
  while (world.running().length > 0) await setImmediate()
  assert.equal(world.engine.hosts.get('a')?.replicas.size, 1, 'the engine has its end until that is noted')
  dying.abort()
  world.engine.ends.clear()
  await world.clock.advance(20_000)
  await world.pass(world.owner(), { count: 3 })
  assert.equal((await world.get(id)).status, 'terminated')
  assert.equal(world.meteredMs(), endedAt - startedAt)
  await world.close()
})

test('a start that came to a run is metered before another takes its place', async () => {
  const world = await World.open({ a: { cpu: 10 } })
  const owner = world.owner()
  const id = await world.create({ replicas: 1 })
  await owner.pass(new AbortController().signal)
  // Nobody sees it run: its host is lost right after the start.
  world.engine.setLost('a', true)
  await world.clock.advance(100)
  const [name = ''] = [...(world.engine.hosts.get('a')?.replicas.keys() ?? [])]
  await world.pass(owner, { count: 3 })
  assert.equal((await world.get(id)).slots[0]?.state, 'pending')
  const startedAt = world.engine.hosts.get('a')?.replicas.get(name)?.startedAt ?? 0
  world.engine.end(name, { exitCode: 0 })
  const endedAt = world.clock.now()
  await world.clock.advance(3_000)
  world.engine.setLost('a', false)
  const isLost = world.loseNextWrite()
  await world.pass(owner, { count: 3 })
  assert.ok(isLost())
  assert.equal(world.meteredMs(), endedAt - startedAt)
  await world.close()
})
