import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { differences, metersWrongly, saidWrongly } from './checks.ts'
import type { Container, Run } from './engine-record.ts'

const container = (index: number, isRunning = true, generation = 1): Container => ({
  name: `inst-a-${index}-${generation}`,
  instance: 'inst_a',
  index,
  isRunning,
})
const instance = (...states: readonly string[]) => ({
  id: 'inst_a',
  status: 'running',
  replicas: states.map((status, index) => ({ index, status })),
})
const ended: Run = {
  ...{ name: 'inst-a-0-1', instance: 'inst_a', index: 0, knownAt: 0, said: [] },
  ...{ startedAt: 1_000, endedAt: 5_000 },
}

describe('the checks of the storm on instances', () => {
  it('find a replica that is said to run, and has not for long', () => {
    const runs = new Map([[ended.name, ended]])
    const check = (saidAt: number, backAt: number, containers: readonly Container[] = []) =>
      saidWrongly([instance('running')], containers, runs, { saidAt, backAt }).length
    assert.equal(check(30_000, 0), 1)
    assert.equal(check(30_000, 0, [container(0, false)]), 1)
    assert.equal(check(30_000, 0, [container(0)]), 0)
    assert.equal(check(14_000, 0), 0, 'as long as it may take to be seen')
    assert.equal(check(30_000, 25_000), 0, 'nor right after the engine is back')
  })

  it('find what is not as it was asked for, what nobody owns and what is there twice', () => {
    const found = (asked: number | 'end', states: readonly string[], containers: readonly Container[]) =>
      differences(new Map([['inst_a', asked]]), [instance(...states)], containers).length
    assert.equal(found(1, ['running'], [container(0)]), 0)
    assert.equal(found(2, ['running'], [container(0)]), 2)
    assert.equal(found(1, ['running'], [container(0), container(1)]), 1)
    assert.equal(found(1, ['running'], [container(0), container(0, true, 2)]), 1)
    assert.equal(found(1, ['running'], [container(0, false)]), 1)
    assert.equal(found('end', [], [container(0)]), 2)
  })

  it('find what was metered and did not run, and the other way round', () => {
    const run: Run = { ...ended, isStartKnown: true }
    const found = (metered: Readonly<Record<string, number>>, more: Partial<Run> = {}) =>
      metersWrongly(new Map([[run.name, { ...run, ...more }]]), new Map(Object.entries(metered)), 0).length
    assert.equal(found({ 'inst-a-0-1': 4_500 }), 0)
    assert.equal(found({ 'inst-a-0-1': 2_500 }), 1)
    assert.equal(found({ 'inst-a-0-1': 5_500 }), 1)
    assert.equal(found({}), 1)
    assert.equal(found({ 'inst-a-0-1': 4_000, 'inst-a-0-2': 1 }), 1)
    const forgotten = { endedAt: undefined, seenAt: 3_000, missedAt: 9_000 } as unknown as Partial<Run>
    assert.equal(found({ 'inst-a-0-1': 7_000 }, forgotten), 0)
    assert.equal(found({ 'inst-a-0-1': 10_000 }, forgotten), 1)
  })
})
