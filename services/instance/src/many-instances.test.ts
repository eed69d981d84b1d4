import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { World } from './engine.fixture.ts'

test('a pass over ten thousand instances at rest asks the store once, and writes nothing', {
  timeout: 600_000,
}, async () => {
  const world = await World.open({ a: { cpu: 20_000 } })
  const signal = new AbortController().signal
  await Promise.all(Array.from({ length: 10_000 }, (_, n) => world.create({ tenant: `acct_${n % 1_250}/live` })))
  const owner = world.owner()
  for (let n = 0; n < 2_000 && world.running().length < 10_000; n++) {
    owner.engineChanged()
    await owner.pass(signal)
    await world.clock.advance(50)
  }
  assert.equal(world.running().length, 10_000)
  for (let n = 0; n < 3; n++) {
    owner.engineChanged()
    await owner.pass(signal)
    await world.clock.advance(50)
  }
  Object.assign(world.calls, { get: 0, find: 0, write: 0 })
  owner.engineChanged()
  await owner.pass(signal)
  assert.deepEqual(world.calls, { get: 0, find: 1, write: 0 })

  const id = await world.create({})
  Object.assign(world.calls, { get: 0, find: 0, write: 0 })
  await owner.pass(signal)
  // Beside the pass the start of its pull is noted.
  while (world.calls.write < 2) await setImmediate()
  assert.deepEqual(world.calls, { get: 1, find: 1, write: 2 }, 'one more instance is admitted')
  assert.equal((await world.get(id)).status, 'provisioning')
  await world.clock.advance(1_000)
  await world.close()
})

test('a pass starts a thousand replicas of many that wait, and the next ones go on with the others', {
  timeout: 600_000,
}, async () => {
  const world = await World.open({ a: { cpu: 3_000 } })
  const signal = new AbortController().signal
  const ids = await Promise.all(
    Array.from({ length: 2_500 }, (_, n) => world.create({ tenant: `acct_${n % 500}/live` })),
  )
  const owner = world.owner()
  const started: number[] = []
  for (let n = 0; n < 3; n++) {
    await owner.pass(signal)
    const records = await Promise.all(ids.map((id, n) => world.get(id, `acct_${n % 500}/live`)))
    started.push(records.filter(({ last_generation }) => last_generation > 0).length)
  }
  assert.deepEqual(started, [1_000, 2_000, 2_500])
  await world.clock.advance(1_000)
  await world.close()
})
