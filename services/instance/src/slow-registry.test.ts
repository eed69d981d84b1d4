import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { World } from './engine.fixture.ts'
import { changeInstance } from './instance-store.ts'

test('an instance whose image never comes ends when it is deleted, and gives its place back', async () => {
  const world = await World.open({ a: { cpu: 1 } })
  Object.assign(world.engine, { pullMs: Number.MAX_SAFE_INTEGER })
  const { signal } = new AbortController()
  const owner = world.owner()
  const passes = async () => {
    for (let n = 0; n < 5; n++) {
      owner.engineChanged()
      await owner.pass(signal)
      await setImmediate()
      await world.clock.advance(100)
    }
  }
  const id = await world.create({ replicas: 1 })
  await passes()
  assert.equal((await world.get(id)).slots[0]?.state, 'starting')
  await changeInstance(world.deps, 'acct_1/live', id, { kind: 'delete', now: world.clock.now() })
  await passes()
  assert.equal((await world.get(id)).status, 'terminated')
  assert.equal(world.engine.hosts.get('a')?.replicas.size, 0)
  await world.close()
})
