import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Draft } from '@millhand/store'
import type { LineSum } from '../ledger/line.ts'
import { afterSpending, isOver, LIMITS_ID, type SpendingLimitsRecord, spentOf } from './spending-limits.ts'

const record = (compute: number): Draft<SpendingLimitsRecord> => ({
  ...{ tenant: 'acct_a/live', id: LIMITS_ID, resource_version: 1 },
  ...{ limits: { compute }, told: [] },
})
/** The steps that are told of while this is spent, one after the other. */
function told(limit: number, spent: readonly number[], month = '2026-11', before = record(limit)) {
  let record = before
  const steps = spent.map(micros => {
    const { after, reached } = afterSpending(record, month, () => micros)
    record = after
    return reached.map(({ percent }) => percent)
  })
  return { steps, record }
}

describe('a spending limit', () => {
  it('is told of once at four fifths and once when it is reached', () => {
    const { steps, record } = told(1_000, [0, 799, 800, 900, 999, 1_000, 5_000])
    assert.deepEqual(steps, [[], [], [80], [], [], [100], []])
    assert.equal(record.reached, 'yes')
    assert.ok(isOver(record, 'compute', '2026-11'))
    assert.equal(record.resource_version, 3)
  })

  it('that is changed and set back is told of once in the month, and is over at once', () => {
    const before = told(1_000, [1_000]).record
    const raised = told(2_000, [1_000, 1_700], '2026-11', { ...before, limits: { compute: 2_000 } })
    assert.deepEqual(raised.steps, [[], [80]])
    assert.ok(!isOver(raised.record, 'compute', '2026-11'))
    const back = told(1_000, [1_700, 1_800], '2026-11', { ...raised.record, limits: { compute: 1_000 } })
    assert.deepEqual(back.steps, [[], []])
    assert.ok(isOver(back.record, 'compute', '2026-11'))
    const again = told(2_000, [1_800, 2_000], '2026-11', { ...back.record, limits: { compute: 2_000 } })
    assert.deepEqual(again.steps, [[], [100]])
  })

  it('that is jumped over is told of as reached', () => {
    assert.deepEqual(told(1_000, [0, 2_000, 2_000]).steps, [[], [100], []])
  })

  it('of nothing is reached from the start', () => {
    const { steps, record } = told(0, [0, 0])
    assert.deepEqual(steps, [[100], []])
    assert.ok(isOver(record, 'compute', '2026-12'), 'in the next month too, before anything of it was posted')
  })

  it('begins anew with a month, and tells of it again', () => {
    const { record } = told(1_000, [1_000])
    assert.ok(!isOver(record, 'compute', '2026-12'))
    const next = told(1_000, [0, 850, 1_000], '2026-12', record)
    assert.deepEqual(next.steps, [[], [80], [100]])
  })

  it('counts the usage of its family and month: no plans, no credits, nothing of earlier months', () => {
    const line = (family: LineSum['family'], kind: LineSum['kind'], micros: number): LineSum => ({
      ...{ family, kind, micros, would_micros: micros * 2, quantity: 1 },
    })
    const lines = [
      ...[
        line('compute', 'compute', 1),
        line('compute', 'instances', 2),
        line('workforce', 'tasks', 10),
        line('workforce', 'tokens', 100),
      ],
      ...[line('workforce', 'adjustment', 1_000), line('compute', 'credit', -1_000)],
    ]
    const months = [{ month: '2026-11', lines }]
    assert.equal(spentOf(months, '2026-11', 'compute', false), 3)
    assert.equal(spentOf(months, '2026-11', 'workforce', false), 110)
    assert.equal(spentOf(months, '2026-11', 'workforce', true), 220)
    assert.equal(spentOf(months, '2026-12', 'compute', false), 0)
  })
})
