import assert from 'node:assert/strict'
import { test } from 'node:test'
import { World } from './engine.fixture.ts'
import { changeInstance, writeTransition } from './instance-store.ts'
import { transition } from './transition.ts'

test('a run is metered until its end, also where the write that notes the end comes too late', async () => {
  const world = await World.open({ a: { cpu: 10 } })
  const { signal } = new AbortController()
  const owner = world.owner()
  const pass = async () => {
    owner.engineChanged()
    await owner.pass(signal)
    await world.clock.advance(3_000)
  }
  const id = await world.create({ replicas: 1 })
  for (let n = 0; n < 3; n++) await pass()
  const [name = ''] = world.running()
  await world.clock.advance(20_000)
  await pass()
  const startedAt = (await world.get(id)).slots[0]?.started_at ?? 0
  const endedAt = world.clock.now()
  world.engine.end(name, { exitCode: 1 })
  await world.clock.advance(3_000)
  const { write } = world.instances
  world.instances.write = async change => {
    world.instances.write = write
    await changeInstance(world.deps, 'acct_1/live', id, { kind: 'scale', replicas: 2, now: world.clock.now() })
    return await write(change)
  }
  await pass()
  assert.equal(world.instances.write, write, 'there was a conflict')
  await pass()
  const runs = world.events
    .filter(({ type }) => type === 'instance.metered')
    .map(({ value }) => JSON.parse(value).data.object)
  assert.deepEqual(
    runs.map(({ run_ms }) => run_ms),
    [endedAt - startedAt],
  )
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
