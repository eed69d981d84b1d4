import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { documentedChanges } from './documented-changes.fixture.ts'
import { exited, Life, running, start } from './life.fixture.ts'

/** A way to each row of the table of docs/instances.md. */
const ways: Readonly<Record<string, () => Life>> = {
  'pending provisioning': () => new Life().observe().admit(),
  'pending running': () => new Life(0).observe(),
  'provisioning pending': () => new Life().observe().admit().refuse('no_capacity'),
  'provisioning running': () => new Life().run(),
  'scaling running': () => new Life(2).run().scale(1).observe({ 0: running }).observe({ 0: running }),
  'degraded running': () => new Life().run().observe({}).observe({}).admit().observe({ 0: running }),
  'running scaling': () => new Life().run().scale(2),
  'degraded scaling': () => new Life(2).run().observe({ 0: running }).scale(1).observe({ 0: running }, 0),
  'degraded provisioning': () =>
    new Life(2).observe().admit().observe({ 0: exited }).observe({}, 600).admit().observe({ 0: running }),
  'provisioning degraded': () => new Life().observe().admit().refuse('port_taken'),
  'running degraded': () => new Life().run().observe({ 0: exited }),
  'scaling degraded': () => new Life().run().scale(2).observe({ 0: exited }),
  'pending terminating': () => new Life().delete(),
  'provisioning terminating': () => new Life().observe().admit().delete(),
  'running terminating': () => new Life().run().delete(),
  'scaling terminating': () => new Life().run().scale(2).delete(),
  'degraded terminating': () => new Life().run().observe({}).delete(),
  'failed terminating': () => new Life().observe().admit().refuse('image_not_found').delete(),
  'terminating terminated': () => new Life().run().delete().observe({ 0: running }).observe().observe(),
  'provisioning failed': () => new Life().observe().admit().refuse('image_not_found'),
  'degraded failed': () => new Life().run().fail(10),
}

const table = documentedChanges()

describe('the table of states', () => {
  for (const [pair, way] of Object.entries(ways)) {
    it(pair.replace(' ', ' → '), () => {
      assert.ok(table.has(pair), 'docs/instances.md has it')
      assert.ok(way().pairs.has(pair), way().statuses.join(' '))
    })
  }

  it('has no row without a way to it', () => {
    assert.deepEqual([...table].sort(), Object.keys(ways).sort())
  })

  it('has every change that any of these lives makes', () => {
    for (const way of Object.values(ways)) for (const pair of way().pairs) assert.ok(table.has(pair), pair)
  })
})

describe('a replica', () => {
  it('that ends is started again as the next generation, and the instance is whole again', () => {
    const life = new Life().run().observe({ 0: exited }, 20_000)
    assert.deepEqual([life.instance.status, life.reason, life.instance.slots[0]?.exit_code], ['degraded', 'exited', 1])
    life.observe({ 0: exited }, 600).admit()
    assert.deepEqual([life.instance.slots[0]?.state, life.instance.slots[0]?.generation], ['starting', 2])
    life.observe({ 0: running })
    assert.deepEqual([life.instance.status, life.instance.slots[0]?.restarts], ['running', 1])
    assert.deepEqual(life.events, [
      'instance.provisioning',
      'instance.running',
      'instance.degraded',
      'instance.running',
    ])
  })

  it('that ends at once again and again is in a crash loop, and is given up after ten times', () => {
    const life = new Life().run().fail(2)
    assert.equal(life.reason, 'crash_loop')
    life.fail(8)
    assert.deepEqual([life.instance.status, life.reason], ['failed', 'crash_loop'])
  })

  it('that the engine ended for its memory says so', () => {
    assert.equal(new Life().run().observe({ 0: { ...exited, reason: 'out_of_memory' } }).reason, 'out_of_memory')
  })

  it('that can’t be pulled fails an instance that has never run, and degrades one that has', () => {
    assert.equal(new Life().observe().admit().refuse('image_not_found').reason, 'image_not_found')
    const life = new Life().run().scale(2).observe({ 0: running }).admit().refuse('image_not_found')
    assert.deepEqual([life.instance.status, life.reason], ['degraded', 'image_not_found'])
  })

  it('that waits for capacity says so', () => {
    const life = new Life().observe().admit('no_capacity')
    assert.deepEqual([life.instance.status, life.reason], ['pending', 'no_capacity'])
  })

  it('that is one more is refused at a limit, and one less is not', () => {
    const life = new Life(2).run().scale(3, true)
    assert.equal(life.instance.desired.replicas, 2)
    assert.equal(life.scale(1, true).instance.desired.replicas, 1)
  })

  it('that is not needed any more goes, the highest index first, also while others are still being started', () => {
    const life = new Life(5).observe().admit().scale(2).observe({ 0: running, 1: running, 2: running })
    const states = life.instance.slots.map(({ state }) => state)
    assert.deepEqual(states, ['running', 'running', 'stopping', 'stopping', 'stopping'])
    life.observe({ 0: running, 1: running })
    assert.deepEqual([life.instance.status, life.instance.slots.length], ['running', 2])
  })

  it('on a host that does not answer is in an unknown state, and as before when the host is back', () => {
    const life = new Life().run().observe({}, 5_000, { lostHosts: new Set(['a']) })
    assert.deepEqual(
      [life.instance.status, life.reason, life.instance.slots[0]?.state],
      ['degraded', 'host_lost', 'unknown'],
    )
    life.observe({ 0: running }, 60_000)
    assert.deepEqual([life.instance.status, life.instance.slots[0]?.generation], ['running', 1])
  })

  it('that the engine knows, but not whether it runs, is in an unknown state, and replaced after long', () => {
    const unknown = { ...running, state: 'unknown' } as const
    const life = new Life().run().observe({ 0: running }, 1_000)
    const metered = life.now
    life.observe({ 0: unknown }, 5_000)
    assert.deepEqual(
      [life.instance.status, life.reason, life.instance.slots[0]?.state],
      ['degraded', 'host_lost', 'unknown'],
    )
    assert.equal(life.metered.at(-1)?.to, metered, 'it is metered until it was last seen running')
    life.observe({ 0: running }, 60_000)
    assert.deepEqual([life.instance.status, life.instance.slots[0]?.generation], ['running', 1])
    life.observe({ 0: unknown }, 5_000).observe({ 0: unknown }, 300_000).observe({ 0: unknown }, 1)
    assert.equal(life.instance.slots[0]?.state, 'pending')
  })

  it('on a host that is lost for long is replaced', () => {
    const lostHosts = new Set(['a'])
    const life = new Life().run().observe({}, 5_000, { lostHosts }).observe({}, 300_000, { lostHosts })
    assert.equal(life.observe({}, 1, { lostHosts }).instance.slots[0]?.state, 'pending')
  })
})

describe('an end', () => {
  it('comes with the maximum lifetime', () => {
    const life = new Life(1, { expires_at: start + 60_000 }).run().observe({ 0: running }, 60_000)
    assert.deepEqual([life.instance.status, life.reason], ['terminating', 'max_lifetime'])
  })

  it('leaves nothing behind in any state, and is kept for a while', () => {
    for (const way of Object.values(ways)) {
      const life = way().delete().observe({}, 100).observe({}, 100)
      assert.deepEqual([life.instance.status, life.instance.slots, life.instance.work], ['terminated', [], 'done'])
      assert.ok(life.instance.due_at !== undefined)
    }
  })

  it('is not undone by anything', () => {
    const life = new Life().run().delete().scale(3).observe({ 0: running })
    assert.deepEqual([life.instance.status, life.instance.desired.replicas], ['terminating', 1])
  })
})
