import assert from 'node:assert/strict'
import { test } from 'node:test'
import { World } from './engine.fixture.ts'
import { changeInstance, writeTransition } from './instance-store.ts'
import { transition } from './transition.ts'

test('a run is metered until its end, also where the write that notes the end comes too late', async () => {
  const world = await World.open({ a: { cpu: 10 } })
  const owner = world.owner()
  const id = await world.create({ replicas: 1 })
  await world.pass(owner, { count: 3, ms: 3_000 })
  const [name = ''] = world.running()
  await world.clock.advance(20_000)
  await world.pass(owner, { ms: 3_000 })
  const startedAt = (await world.get(id)).slots[0]?.started_at ?? 0
  const endedAt = world.clock.now()
  world.engine.end(name, { exitCode: 1 })
  await world.clock.advance(3_000)
  const now = () => world.clock.now()
  const isLost = world.loseNextWrite(
    async () => await changeInstance(world.deps, 'acct_1/live', id, { kind: 'scale', replicas: 2, now: now() }),
  )
  await world.pass(owner, { ms: 3_000 })
  assert.ok(isLost())
  await world.pass(owner, { ms: 3_000 })
  assert.equal(world.meteredMs(), endedAt - startedAt)
  await world.close()
})

test('a change is stored only if the record is still the one that it was made from', async () => {
  const world = await World.open({ a: { cpu: 10 } })
  const id = await world.create({ replicas: 1 })
  const before = await world.get(id)
  const now = world.clock.now()
  await changeInstance(world.deps, 'acct_1/live', id, { kind: 'scale', replicas: 2, now })
  const late = transition(before, { kind: 'admit', indexes: [0], now }, 1_000)
  assert.equal(await writeTransition(world.deps, before, late), 'conflict')
  assert.equal((await world.get(id)).desired.replicas, 2)
  await world.close()
})
