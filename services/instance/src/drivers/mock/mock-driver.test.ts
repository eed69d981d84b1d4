import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { manualClock, systemClock } from '@millhand/process'
import { describeDriver, fault, specOf } from '../driver.contract.ts'
import { createMockDriver } from './mock-driver.ts'
import { createMockEngine } from './mock-engine.ts'

const images = {
  runs: 'docker.io/library/server',
  missing: 'sandbox/image-not-found',
  exits: 'sandbox/exits',
  eatsMemory: 'sandbox/out-of-memory',
  noCommand: 'sandbox/command-not-found',
}

describeDriver('mock', async () => {
  const engine = createMockEngine({ clock: systemClock, hosts: { one: { cpu: 4 } }, pullMs: 1, startMs: 1 })
  return {
    driver: createMockDriver(engine),
    reopen: () => createMockDriver(engine),
    images,
    vanish: async name => engine.vanish(name),
    loseHost: async () => engine.setLost('one', true),
    restoreHost: async () => engine.setLost('one', false),
    close: async () => {},
  }
})

describe('the mock driver', () => {
  const { signal } = new AbortController()

  it('takes the times of its clock', async () => {
    const clock = manualClock(1_000_000)
    const driver = createMockDriver(
      createMockEngine({ clock, hosts: { one: { cpu: 1 } }, pullMs: 2000, startMs: 1000 }),
    )
    const created = driver.create(specOf({ images }), { signal })
    const state = async () => (await driver.list(signal)).replicas.map(({ state }) => state)
    assert.deepEqual(await state(), ['pulling'])
    await clock.advance(2000)
    assert.deepEqual(await state(), ['creating'])
    await clock.advance(1000)
    await created
    const [replica] = (await driver.list(signal)).replicas
    assert.equal(replica?.state, 'running')
    assert.equal(replica?.startedAt, 1_003_000)
  })

  it('places a replica on the host with most room, and has no room when all are full', async () => {
    const engine = createMockEngine({
      ...{ clock: systemClock, pullMs: 0, startMs: 0 },
      hosts: { small: { cpu: 1 }, large: { cpu: 2, h100: 1 } },
    })
    const driver = createMockDriver(engine)
    const hosts: string[] = []
    for (let index = 0; index < 3; index++)
      hosts.push((await driver.create(specOf({ images }, { index }), { signal })).host)
    assert.deepEqual(hosts, ['large', 'small', 'large'])
    await assert.rejects(driver.create(specOf({ images }), { signal }), fault('no_capacity'))
    assert.equal((await driver.create(specOf({ images }, { gpu: 'h100' }), { signal })).host, 'large')
    engine.setLost('large', true)
    const { replicas, lostHosts } = await driver.list(signal)
    assert.deepEqual([replicas.length, lostHosts], [1, ['large']])
  })

  it('keeps neither values of variables nor credentials', async () => {
    const engine = createMockEngine({ clock: systemClock, hosts: { one: { cpu: 1 } }, pullMs: 0, startMs: 0 })
    const secret = { env: { KEY: 'hush' }, registryCredential: { username: 'u', password: 'hush' } }
    await createMockDriver(engine).create(specOf({ images }, secret), { signal })
    const kept = [...engine.hosts.values()].flatMap(({ replicas }) => [...replicas.values()])
    assert.ok(!JSON.stringify(kept).includes('hush'))
  })
})
