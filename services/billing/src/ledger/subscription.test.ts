import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { loadPlans, type PriceSet, pricesOf } from '@millhand/plans'
import fc from 'fast-check'
import type { PlanChange } from './ledger.ts'
import { spanOf } from './month.ts'
import { plansSince, subscriptionLines, withPlanChange } from './subscription.ts'

const { prices } = loadPlans()
const change = (resource_version: number, at: number, developer: string): PlanChange => ({
  ...{ at, resource_version, event_id: `evt_${resource_version}` },
  ...{ compute: 'starter', developer, workforce: 'none' },
})
const developerOf = (plans: readonly PlanChange[], month: string, until = spanOf(month).end) =>
  subscriptionLines({ plans }, month, until, prices)
    .filter(({ family }) => family === 'developer')
    .map(({ plan, quantity, micros }) => [plan, quantity, micros])
const NOVEMBER = Date.UTC(2026, 10)
const DAY_S = 86_400
const DAY_MS = DAY_S * 1_000

describe('the subscriptions of a month', () => {
  it('are the price of the plan, by the second', () => {
    const plans = [change(1, Date.UTC(2026, 8, 3), 'pro')]
    assert.deepEqual(developerOf(plans, '2026-11'), [['pro', 30 * DAY_S, 49_000_000]])
    assert.deepEqual(developerOf(plans, '2026-11', NOVEMBER + 15 * DAY_MS), [['pro', 15 * DAY_S, 24_500_000]])
    assert.deepEqual(developerOf(plans, '2026-08'), [], 'before there was an account')
    assert.deepEqual(developerOf([change(1, Date.UTC(2028, 1, 29), 'pro')], '2028-02'), [['pro', DAY_S, 1_689_655]])
  })

  it('have each plan for its time, and nothing is lost between two', () => {
    const plans = [
      change(1, 0, 'free'),
      change(2, NOVEMBER + 10 * DAY_MS, 'pro'),
      change(3, NOVEMBER + 20 * DAY_MS, 'business'),
    ]
    assert.deepEqual(developerOf(plans, '2026-11'), [
      ['free', 10 * DAY_S, 0],
      ['pro', 10 * DAY_S, 16_333_334],
      ['business', 10 * DAY_S, 66_333_333],
    ])
    const changes = Array.from({ length: 50 }, (_, n) =>
      change(n + 2, NOVEMBER + n * 1_000_777, n % 2 ? 'pro' : 'business'),
    )
    const lines = developerOf([change(1, 0, 'pro'), ...changes], '2026-11')
    assert.equal(
      lines.reduce((sum, [, seconds]) => sum + Number(seconds), 0),
      30 * DAY_S,
    )
    assert.equal(lines.length, 2)
  })

  it('cost what the plan costs where it is left and taken again', () => {
    const times = fc.array(fc.integer({ min: 0, max: 30 * DAY_MS }), { maxLength: 50 })
    fc.assert(
      fc.property(times, times => {
        const plans = times.map((at, n) => change(n + 2, NOVEMBER + at, 'pro'))
        const all = [change(1, 0, 'pro'), ...plans].sort((a, b) => a.at - b.at)
        assert.deepEqual(developerOf(all, '2026-11'), [['pro', 30 * DAY_S, 49_000_000]])
      }),
    )
  })

  it('change their price in the middle of a month', () => {
    const [first] = prices.sets as [PriceSet]
    const from = NOVEMBER + 10 * DAY_MS
    const developer = { ...first.subscriptions.developer, pro: 60_000_000 }
    const dearer = pricesOf([first, { ...first, from, subscriptions: { ...first.subscriptions, developer } }])
    const lines = subscriptionLines({ plans: [change(1, 0, 'pro')] }, '2026-11', spanOf('2026-11').end, dearer)
    const ofDeveloper = lines.filter(({ family }) => family === 'developer')
    assert.deepEqual(
      ofDeveloper.map(({ unit_micros, micros }) => [unit_micros, micros]),
      [
        [49_000_000, 16_333_333],
        [60_000_000, 40_000_000],
      ],
    )
  })

  it('of the workforce plan of new accounts begin with the first task of a month, those of others at once', () => {
    const workforceOf = (workforce: string, first_tasks: Record<string, number>) =>
      subscriptionLines({ plans: [{ ...change(1, 0, 'free'), workforce }], first_tasks }, '2026-11', december, prices)
        .filter(({ family }) => family === 'workforce')
        .map(({ plan, quantity, micros }) => [plan, quantity, micros])
    const december = Date.UTC(2026, 11)
    assert.deepEqual(workforceOf('starter', {}), [])
    assert.deepEqual(workforceOf('starter', { '2026-10': NOVEMBER - DAY_MS }), [])
    assert.deepEqual(workforceOf('starter', { '2026-11': NOVEMBER + 15 * DAY_MS }), [
      ['starter', 15 * DAY_S, 14_500_000],
    ])
    assert.deepEqual(workforceOf('professional', {}), [['professional', 30 * DAY_S, 99_000_000]])
  })

  it('cost nothing while an account is suspended', () => {
    const plans = [
      change(1, 0, 'pro'),
      { ...change(2, NOVEMBER + 10 * DAY_MS, 'pro'), suspended: true as const },
      change(3, NOVEMBER + 20 * DAY_MS, 'pro'),
    ]
    assert.deepEqual(developerOf(plans, '2026-11'), [['pro', 20 * DAY_S, 32_666_666]])
  })

  it('of a plan that nobody knows cost nothing', () => {
    assert.deepEqual(developerOf([change(1, 0, 'gone')], '2026-11'), [['gone', 30 * DAY_S, 0]])
  })
})

describe('the history of plans', () => {
  it('is the same in whatever order it is told, and told twice', () => {
    const changes = [1, 2, 3, 4, 5].map(n => change(n, NOVEMBER + Math.floor(n / 2) * 1_000, `plan${n}`))
    fc.assert(
      fc.property(fc.shuffledSubarray([...changes, ...changes], { minLength: 10 }), told => {
        const plans = told.reduce((plans, each) => withPlanChange(plans, each) ?? plans, [] as readonly PlanChange[])
        assert.deepEqual(plans, changes)
      }),
    )
  })

  it('goes by versions where a clock has gone back: the later plan holds from the time of the earlier one', () => {
    const told = [change(2, 100_000, 'business'), change(3, 50_000, 'free')]
    const plans = told.reduceRight((plans, each) => withPlanChange(plans, each) ?? plans, [] as readonly PlanChange[])
    assert.deepEqual(
      plans.map(({ resource_version, at }) => [resource_version, at]),
      [
        [2, 100_000],
        [3, 100_000],
      ],
    )
  })

  it('is kept from the plan on that an account had at a time', () => {
    const changes = [1, 2, 3].map(n => change(n, n * 1_000, 'pro'))
    const versions = (time: number) => plansSince(changes, time).map(({ resource_version }) => resource_version)
    assert.deepEqual(
      [versions(0), versions(1_000), versions(2_500), versions(9_000)],
      [[1, 2, 3], [1, 2, 3], [2, 3], [3]],
    )
    assert.deepEqual(plansSince([], 0), [])
  })
})
