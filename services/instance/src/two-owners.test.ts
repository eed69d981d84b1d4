import assert from 'node:assert/strict'
import { test } from 'node:test'
import { namesOf, World } from './engine.fixture.ts'
import { changeInstance } from './instance-store.ts'

test('an owner whose record is behind removes nothing that another owner has started', async () => {
  const world = await World.open({ a: { cpu: 10 } })
  const { signal } = new AbortController()
  const [early, late] = [world.owner(), world.owner()]
  const passes = async (owner: typeof early) => {
    for (let n = 0; n < 5; n++) {
      owner.engineChanged()
      await owner.pass(signal)
      await world.clock.advance(100)
    }
  }
  const id = await world.create({ replicas: 1 })
  await passes(early)
  await changeInstance(world.deps, 'acct_1/live', id, { kind: 'scale', replicas: 3, now: world.clock.now() })
  await passes(late)
  const running = world.running().sort()
  assert.equal(running.length, 3)
  await passes(early)
  assert.deepEqual(world.running().sort(), running)
  const instance = await world.get(id)
  assert.deepEqual([instance.status, namesOf(instance).sort()], ['running', running])
  await world.close()
})
