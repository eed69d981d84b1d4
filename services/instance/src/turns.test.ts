import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { World } from './engine.fixture.ts'

const LIMIT_MS = 100_000

test('an instance gets its turn, however many others change in each pass', { timeout: 600_000 }, async () => {
  const world = await World.open({ a: { cpu: 3_000 } })
  const signal = new AbortController().signal
  await Promise.all(Array.from({ length: 2_000 }, (_, n) => world.create({ tenant: `acct_1${n % 250}/live` })))
  const owner = world.owner()
  const pass = async () => {
    owner.engineChanged()
    await owner.pass(signal)
    await world.clock.advance(50)
  }
  const allRun = async (many: number) => {
    for (let n = 0; n < 2_000 && world.running().length < many; n++) await pass()
    for (let n = 0; n < 3; n++) await pass()
    assert.equal(world.running().length, many)
  }
  await allRun(2_000)
  const tenant = 'acct_2/live'
  const id = await world.create({ tenant })
  await allRun(2_001)
  const replicas = [...(world.engine.hosts.get('a')?.replicas.values() ?? [])]
  const addressOf = async () => (await world.get(id, tenant)).slots[0]?.address
  const before = await addressOf()
  for (let n = 0; n < 8; n++) {
    for (const replica of replicas)
      if (replica.running !== undefined && (n === 0 || replica.spec.instance !== id))
        replica.running = { ...replica.running, address: `${n}.invalid` }
    await pass()
  }
  assert.notEqual(before, '0.invalid')
  assert.equal(await addressOf(), '0.invalid')
  await world.close()
})

/** An owner that runs, and whose engine may be away. */
async function runningOwner(instances: number) {
  const world = await World.open({ a: { cpu: 1 } })
  await Promise.all(Array.from({ length: instances }, () => world.create({ replicas: 0 })))
  const { hosts } = world.engine
  const state = { lists: 0, isAway: false }
  const owner = world.owner()
  const answer = hosts.values.bind(hosts)
  hosts.values = () => {
    state.lists++
    if (state.isAway) throw new Error('the engine is away')
    return answer()
  }
  const ending = new AbortController()
  const begin = () => {
    const running = owner.run(ending.signal)
    return async () => {
      ending.abort()
      await running
      await world.close()
    }
  }
  return { world, owner, state, begin }
}

const turns = async (count = 200) => {
  for (let n = 0; n < count; n++) await setImmediate()
}

test('an engine that is away is not asked without a pause, however many instances wait', async () => {
  const { world, state, begin } = await runningOwner(1_000)
  state.isAway = true
  const end = begin()
  for (const limit = performance.now() + LIMIT_MS; state.lists === 0; await setImmediate())
    assert.ok(performance.now() < limit)
  await turns()
  const before = state.lists
  for (let ms = 0; ms < 200; ms += 20) {
    await world.clock.advance(20)
    await turns()
  }
  assert.equal(state.lists, before)
  await end()
})

test('what a pass was woken for that failed is done by the next one', async () => {
  const { world, owner, state, begin } = await runningOwner(0)
  const end = begin()
  const settled = async (isSo: () => boolean) => {
    for (const limit = performance.now() + LIMIT_MS; !isSo(); await turns(5)) assert.ok(performance.now() < limit)
    await turns()
  }
  await settled(() => state.lists > 0)
  await world.clock.advance(20)
  await turns()
  state.isAway = true
  const before = state.lists
  owner.engineChanged()
  await settled(() => state.lists > before)
  state.isAway = false
  const failed = state.lists
  for (let ms = 0; ms < 2_000; ms += 100) {
    await world.clock.advance(100)
    await turns()
  }
  assert.ok(state.lists > failed)
  await end()
})
