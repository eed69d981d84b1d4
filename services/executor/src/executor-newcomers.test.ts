import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { lease, start } from './executor.fixture.ts'

describe('executor', () => {
  it('begins the first task of another account beside a run that goes on and on, in a process of its own', async () => {
    const newcomer = { ...lease, id: 'lease_b', tenant: 'acct_b/live', workId: 'task_b', input: 'first' }
    const { clock, results, claims, stop } = start({ runMs: 3_600_000, newcomers: [newcomer], msOf: { first: 100 } })
    await clock.advance(2_000)
    assert.deepEqual(
      results.map(({ workId, outcome }) => [workId, outcome.case]),
      [['task_b', 'output']],
    )
    assert.equal(claims(), 1, 'its end makes no room for others')
    await stop()
  })

  it('counts a newcomer’s run as one of its own once there is a slot for it, and has room for the next newcomer', async () => {
    const newcomers = ['b', 'c'].map(name => ({
      ...lease,
      ...{ id: `lease_${name}`, tenant: `acct_${name}/live`, workId: `task_${name}`, input: name },
    }))
    const { clock, results, claims, stop } = start({ runMs: 2_000, newcomers, msOf: { b: 3_600_000, c: 100 } })
    await clock.advance(1_500)
    assert.deepEqual(results, [])
    await clock.advance(3_000)
    assert.deepEqual(
      results.map(({ workId }) => workId),
      ['task_a', 'task_c'],
    )
    assert.equal(claims(), 1, 'its only slot is taken')
    await stop()
  })

  it('asks no longer for newcomers’ work once its long run has ended', async () => {
    const { clock, results, claims, endedWaits, stop } = start({ runMs: 2_000 })
    await clock.advance(1_000)
    assert.deepEqual([results.length, endedWaits()], [0, 0])
    await clock.advance(1_010)
    assert.deepEqual([results.length, claims(), endedWaits()], [1, 2, 1])
    await stop()
  })

  it('asks for no newcomer’s work while its runs are short', async () => {
    const newcomer = { ...lease, id: 'lease_b', tenant: 'acct_b/live', workId: 'task_b', input: 'first' }
    const { clock, results, stop } = start({ runMs: 100, newcomers: [newcomer] })
    await clock.advance(5_000)
    assert.deepEqual(
      results.map(({ workId }) => workId),
      ['task_a'],
    )
    await stop()
  })
})
