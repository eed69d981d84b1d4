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

test('what an owner started before it died is taken up by the next, also where the host comes back in the middle of a pass', async () => {
  const world = await World.open({ a: { cpu: 10 } })
  const { signal } = new AbortController()
  const id = await world.create({ replicas: 1 })
  const early = world.owner()
  await early.pass(signal)
  await world.clock.advance(100)
  const [started] = world.running()
  world.engine.setLost('a', true)
  let calls = Number.NEGATIVE_INFINITY
  const late = world.owner(() => {
    // Right after the engine was asked what it has, which is the second call of a pass.
    if (++calls === 2) queueMicrotask(() => world.engine.setLost('a', false))
  })
  for (let n = 0; n < 3; n++) await late.pass(signal)
  assert.equal((await world.get(id)).slots[0]?.reason, 'no_capacity')
  calls = 0
  for (let n = 0; n < 5; n++) {
    late.engineChanged()
    await late.pass(signal)
    await world.clock.advance(100)
  }
  assert.deepEqual(namesOf(await world.get(id)), [started])
  assert.deepEqual(world.running(), [started])
  await world.close()
})
