import assert from 'node:assert/strict'
import { it } from 'node:test'
import { loadPlans } from '@millhand/plans'
import type { Draft } from '@millhand/store'
import { billOf, monthsToCorrect, subscriptionsOf, withFoldedPlans } from './bill.ts'
import { type LedgerRecord, newLedger, type PlanChange } from './ledger.ts'
import { totalOf } from './line.ts'
import { spanOf } from './month.ts'
import { withPlanChange } from './subscription.ts'

const DAY_MS = 86_400_000
const { prices } = loadPlans()
const change = (resource_version: number, at: number, developer: string): PlanChange => ({
  ...{ at, resource_version, event_id: `evt_${resource_version}` },
  ...{ compute: 'starter', developer, workforce: 'none' },
})

it('plans of more than 45 days ago are folded away, and nothing that is billed changes', () => {
  const from = Date.UTC(2026, 7)
  // A hundred a day, all that an account may.
  const plans = Array.from({ length: 120 * 100 }, (_, n) =>
    change(2 * n + 2, from + n * (DAY_MS / 100), n % 3 === 0 ? 'pro' : 'business'),
  )
  const empty = { ...newLedger('acct_a/live', Date.UTC(2026, 10, 15), 3 * DAY_MS), plans }
  const billed = monthsToCorrect(empty).map(month => subscriptionsOf(empty, month, prices))
  // One of October is heard of late, and not billed by now.
  const october = plans.find(({ at }) => at >= Date.UTC(2026, 9, 20)) as PlanChange
  const late = { ...change(october.resource_version + 1, october.at + 1_000, 'free') }
  const ledger: Draft<LedgerRecord> = { ...empty, billed, plans: withPlanChange(plans, late) ?? assert.fail() }
  const now = Date.UTC(2026, 10, 28)
  const folded = withFoldedPlans(ledger, now, prices)
  assert.ok(folded.plans.length <= 47 * 100, `${folded.plans.length} are kept`)
  assert.equal(folded.plans_from, folded.plans[0]?.resource_version)
  const linesOf = (of: typeof ledger) => billOf(of, '2026-11', spanOf('2026-11').end, prices)
  assert.deepEqual(linesOf(folded), linesOf(ledger))
  const correction = linesOf(folded).filter(({ kind }) => kind === 'adjustment')
  assert.equal(correction.length, 1)
  assert.ok(totalOf(correction) < 0)

  // Another, of the time that is kept, is corrected to the same.
  const next = change(october.resource_version + 3, october.at + 60_000, 'free')
  const both = [ledger, folded].map(each => ({ ...each, plans: withPlanChange(each.plans, next) ?? assert.fail() }))
  assert.deepEqual(...(both.map(linesOf) as [unknown, unknown]))
})
