/** One round of every attack of a hostile tenant: what holds for its neighbour, however fast the machine is. `pnpm faults --hostile-tenant` has the times. */
import assert from 'node:assert/strict'
import { platform } from 'node:process'
import { before, describe, it } from 'node:test'
import { LISTS, MOST_A_MINUTE } from './attacks.ts'
import { MOST_MIB } from './report.ts'
import { type HostileRun, runHostile } from './run.ts'

describe('beside a tenant that is as hostile as its plan allows', {
  skip: platform !== 'linux' && 'needs Linux, whose /proc tells the memory of a process',
}, () => {
  let run: HostileRun
  before(async () => {
    run = await runHostile(0)
  })

  it('every call and every task of another tenant succeeds', () => {
    assert.deepEqual(run.alone.failures, [])
    assert.deepEqual(run.beside.failures, [])
  })

  it('what ran of either tenant is billed to it, once, and nothing else is', () => {
    assert.deepEqual(run.misbilled.slice(0, 20), [])
  })

  it('the server’s memory is bounded', () => {
    assert.ok(run.peakMib < MOST_MIB, `it had ${Math.round(run.peakMib)} MiB`)
  })

  it('no more of the hostile tenant’s calls pass than its plan lets', () => {
    const { statuses = {} } = run.tally[LISTS] ?? {}
    const passed = Object.entries(statuses).reduce((sum, [status, count]) => sum + (status === '429' ? 0 : count), 0)
    const windows = 1 + Math.ceil(run.seconds / 60)
    assert.ok(passed <= 2 * MOST_A_MINUTE * windows, JSON.stringify(statuses))
  })
})
