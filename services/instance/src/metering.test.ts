import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { replicaName } from './instance.ts'
import { exited, hour, id, Life, running, start } from './life.fixture.ts'

describe('metering', () => {
  it('counts from the engine’s start to its end, in slices that end at full hours', () => {
    const life = new Life().run()
    const from = life.now
    life.observe({ 0: running }, 2 * hour).observe({ 0: { ...exited, endedAt: from + 2 * hour + 500 } }, 1_000)
    const ends = [start + hour / 2, start + 1.5 * hour, from + 2 * hour + 500]
    assert.deepEqual(
      life.metered.map(({ to }) => to),
      ends,
    )
    assert.equal(life.seconds, (2 * hour + 500) / 1_000)
  })

  it('of what vanishes counts until its end where the engine remembers it', () => {
    const life = new Life().run().observe({ 0: running }, 5_000)
    const ends = new Map([[replicaName(id, { index: 0, generation: 1 }), life.now + 2_000]])
    assert.equal(life.observe({}, hour, { isPrompt: false, ends }).seconds, 7)
    const ending = new Life().run().delete().observe({ 0: running }, 5_000)
    assert.equal(
      ending.observe({}, 3_000, { ends: new Map([...ends.keys()].map(name => [name, ending.now + 1_000])) }).seconds,
      6,
    )
  })

  it('else of what vanishes counts until now where the driver has just said so, or until it was last seen', () => {
    assert.equal(new Life().run().observe({ 0: running }, 5_000).observe({}, 3_000).seconds, 8)
    assert.equal(new Life().run().observe({ 0: running }, 5_000).observe({}, 3_000, { isPrompt: false }).seconds, 5)
  })

  it('takes no engine’s word for what can’t be', () => {
    const later = new Life().run().observe({ 0: running }, 5_000)
    assert.equal(later.observe({ 0: { ...exited, endedAt: later.now + 2 * hour } }, 1_000).seconds, 6)
    const sooner = new Life().run().observe({ 0: running }, 5_000)
    assert.equal(sooner.observe({ 0: { ...exited, endedAt: start - hour } }, 1_000).seconds, 5)
  })

  it('ends with the process, also where a busy engine called it running for a while after', () => {
    const life = new Life().run().observe({ 0: running }, 20_000).observe({ 0: running }, 3_000)
    assert.equal(life.observe({ 0: { ...exited, endedAt: life.now - 1_500 } }, 500).seconds, 21.5)
  })

  it('of a lost host goes on as if nothing had been when the host is back', () => {
    const life = new Life()
      .run()
      .observe({ 0: running }, 5_000)
      .observe({}, 1_000, { lostHosts: new Set(['a']) })
    assert.equal(life.seconds, 5)
    life.observe({ 0: running }, 60_000).delete().observe({ 0: running }, 0).observe({}, 1_000)
    assert.equal(life.seconds, 67)
  })

  it('counts a late start from the engine’s start, where the call had counted as failed and its host as lost', () => {
    const lostHosts = new Set(['a'])
    const late = () => new Life().observe().admit().refuse('unavailable').observe({}, 1_000, { lostHosts })
    const startedAt = start + 600
    const life = late()
      .observe({}, 5_000, { lostHosts })
      .observe({ 0: { ...running, startedAt } }, 1_000)
    const [slot] = life.instance.slots
    assert.deepEqual([slot?.state, slot?.generation, slot?.started_at], ['running', 1, startedAt])
    assert.deepEqual([life.instance.status, life.reason], ['running', undefined])
    life.observe({ 0: { ...exited, endedAt: startedAt + 9_000 } }, 5_000)
    assert.equal(life.seconds, 9)
    const ended = late().observe({}, 9_000, { lostHosts })
    ended.observe({ 0: { ...exited, startedAt, endedAt: startedAt + 2_000 } }, 1_000)
    assert.deepEqual([ended.instance.slots[0]?.state, ended.seconds], ['exited', 2])
    const scaled = late().scale(0).observe({}, 5_000, { lostHosts })
    scaled.observe({ 0: { ...running, startedAt } }, 1_000).observe({}, 1_000)
    assert.equal(scaled.seconds, (scaled.now - startedAt) / 1_000)
  })

  it('goes on with what comes back from a host that was lost for long, where nothing took its place', () => {
    const lostHosts = new Set(['a'])
    const life = new Life().run().observe({}, 5_000, { lostHosts }).observe({}, 300_000, { lostHosts })
    const startedAt = start + 200
    assert.equal(life.instance.slots[0]?.state, 'exited')
    life.observe({}, 1_000, { lostHosts }).observe({ 0: { ...running, startedAt } }, 1_000)
    assert.deepEqual([life.instance.status, life.instance.slots[0]?.generation], ['running', 1])
    life.observe({ 0: { ...exited, startedAt, endedAt: life.now + 100 } }, 100)
    assert.equal(life.seconds, (life.now - startedAt) / 1_000)
  })

  it('waits for what a start under way comes to: its first try may have failed, and its second run', () => {
    const life = new Life().observe().admit()
    const creating = new Set([replicaName(id, { index: 0, generation: 1 })])
    life.observe({ 0: { state: 'exited', exitCode: 128 } }, 100, { creating })
    assert.deepEqual([life.instance.slots[0]?.state, life.instance.slots[0]?.generation], ['starting', 1])
    const startedAt = life.now + 500
    life
      .observe({ 0: { ...running, startedAt } }, 1_000)
      .observe({ 0: { ...exited, endedAt: startedAt + 3_000 } }, 5_000)
    assert.equal(life.seconds, 3)
  })

  it('counts a run that nobody saw running', () => {
    const life = new Life().observe().admit()
    const startedAt = life.now + 10
    assert.equal(life.observe({ 0: { ...exited, startedAt, endedAt: startedAt + 2_000 } }, 3_000).seconds, 2)
    assert.equal(
      life
        .delete()
        .observe({ 0: { ...exited, startedAt, endedAt: startedAt + 2_000 } }, 1)
        .observe().seconds,
      2,
      'once',
    )
  })
})
