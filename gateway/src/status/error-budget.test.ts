import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { type Day, DaySchema } from '@millhand/api/gen/millhand/status/v1/status_service_pb.ts'
import { type ErrorBudget, errorBudget } from './error-budget.ts'

const NOW = Date.UTC(2026, 10, 21, 12)
const answered = ({ requests, failed }: Day): [number, number] => [requests, failed]
const budgetOf = (days: MessageInitShape<typeof DaySchema>[], target = 0.999) =>
  errorBudget(
    days.map(day => create(DaySchema, day)),
    NOW,
    target,
    answered,
  )

type Row = [what: string, requests: number, failed: number, target: number, budget: Partial<ErrorBudget>]
const table: Row[] = [
  ['the example of the SRE workbook', 1_000_000, 0, 0.999, { allowed: 1_000, spent: 0 }],
  ['a quarter', 1_000_000, 250, 0.999, { allowed: 1_000, spent: 0.25 }],
  ['all of it', 1_000_000, 1_000, 0.999, { allowed: 1_000, spent: 1 }],
  ['overdrawn', 1_000_000, 4_000, 0.999, { allowed: 1_000, spent: 4 }],
  ['less than one request', 22, 1, 0.999, { allowed: 0.022, spent: 45.454545 }],
  ['the other target', 800, 4, 0.99, { allowed: 8, spent: 0.5 }],
]
for (const [what, requests, failed, target, expected] of table)
  test(`the budget: ${what}`, () => {
    const budget = budgetOf([{ day: '2026-11-21', requests, failed }], target)
    assert.deepEqual(budget, { days: 30, requests, missed: failed, ...expected })
  })

test('where nothing is counted, nothing is said to be spent', () => {
  assert.deepEqual(budgetOf([]), { days: 30, requests: 0, allowed: 0, missed: 0 })
})

test('30 days of UTC count, today included; what was before and what is of tomorrow does not', () => {
  const days = ['2026-10-22', '2026-10-23', '2026-11-21', '2026-11-22'].map((day, at) => ({
    day,
    requests: 1_000 * 10 ** at,
    failed: 0,
    since: timestampFromMs(Date.parse(`${day}T06:00:00Z`)),
    updatedAt: timestampFromMs(Date.parse(`${day}T07:00:00Z`)),
  }))
  const { requests, since, until } = budgetOf(days)
  assert.deepEqual([requests, since, until], [110_000, '2026-10-23T06:00:00.000Z', '2026-11-21T07:00:00.000Z'])
})
