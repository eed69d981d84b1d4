import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Family } from '@millhand/api'
import { ConfigurationError } from '@millhand/process'
import { parsePlanFile } from './plan-file.ts'
import { loadPlans } from './plans.ts'

describe('the plans that come with Millhand', () => {
  const plans = loadPlans()

  it('limit requests and tasks as the contract says', () => {
    const rates = (family: 'compute' | 'developer') =>
      plans.names(family).map(name => [name, plans[`${family}Plan`](name).requests_per_minute])
    assert.deepEqual(rates('compute'), [
      ['starter', 100],
      ['growth', 500],
      ['scale', 2_000],
      ['enterprise', null],
    ])
    assert.deepEqual(rates('developer'), [
      ['free', 100],
      ['pro', 1_000],
      ['business', 10_000],
      ['enterprise', null],
    ])
    const dollars = (family: Family, plan: string) => plans.prices.subscription(family, plan, Date.UTC(2026, 10)) / 1e6
    const daily = plans.names('workforce').map(name => {
      const { tasks_per_day } = plans.workforcePlan(name)
      return [name, tasks_per_day, dollars('workforce', name)]
    })
    assert.deepEqual(daily, [
      ['starter', 100, 29],
      ['professional', 500, 99],
      ['enterprise', 2_000, 199],
    ])
    assert.deepEqual(
      plans.names('developer').map(name => dollars('developer', name)),
      [0, 49, 199, 0],
    )
    const running = plans.names('workforce').map(name => plans.workforcePlan(name).max_running)
    assert.deepEqual(running, [5, 20, 100])
    for (const name of plans.names('workforce')) assert.equal(plans.workforcePlan(name).max_queued, 100_000)
    for (const name of plans.names('compute')) assert.equal(plans.computePlan(name).max_queued, 100_000)
  })

  it('start an account with the smallest', () => {
    assert.deepEqual(plans.newAccount, { compute: 'starter', developer: 'free', workforce: 'starter' })
  })
})

it('a plan that has gone from the file is that of a new account, and the log hears of it once', () => {
  const warned: unknown[] = []
  const plans = loadPlans(undefined, { warn: (event, fields) => void warned.push([event, fields]) })
  for (const name of ['gone', 'gone', 'constructor']) {
    assert.equal(plans.computePlan(name), plans.computePlan('starter'))
  }
  assert.deepEqual(warned, [
    ['plan.unknown', { family: 'compute', plan: 'gone', instead: 'starter' }],
    ['plan.unknown', { family: 'compute', plan: 'constructor', instead: 'starter' }],
  ])
})

describe('a file of plans', () => {
  const faults = (text: string) => {
    try {
      parsePlanFile(text, 'plans.yaml')
    } catch (error) {
      assert.ok(error instanceof ConfigurationError)
      return error.faults
    }
    return []
  }

  it('is refused with all that is wrong with it, at once', () => {
    const text = `
      compute:
        starter: { requests_per_minute: -1, weight: 0.5, max_running: "many", max_qeued: 1 }
        Big One: { requests_per_minute: 1, weight: 1, max_running: 1, max_queued: 1 }
      developer: { free: { requests_per_minute: null, price_usd: 1 } }
      workforce: {}
      new_account: { compute: growth, developer: free, wrkforce: starter }
      prices:
        - from: 2026-11-01
          subscriptions: { compute: { starter: 0.001 }, developer: {}, workforce: { starter: -1 } }
          compute_second: { cpu: 0.0000001 }
          models: { digits: 1 }
          price: 1
      price: 1
    `
    const number = 'a whole number from 1 to 1000000000'
    assert.deepEqual(faults(text), [
      'plans.yaml: price is not known.',
      'plans.yaml: compute.starter.max_qeued is not known.',
      `plans.yaml: compute.starter.requests_per_minute must be ${number}, or null; it is -1.`,
      'plans.yaml: compute.starter.weight must be a whole number from 1 to 1000; it is 0.5.',
      `plans.yaml: compute.starter.max_running must be ${number}; it is "many".`,
      `plans.yaml: compute.starter.max_queued is missing: ${number}.`,
      `plans.yaml: compute.starter.max_instances is missing: ${number}.`,
      `plans.yaml: compute.starter.max_replicas is missing: ${number}.`,
      'plans.yaml: compute.Big One must be named with at most 64 of a-z, 0-9, `_` and `-`, a letter first.',
      'plans.yaml: developer.free.price_usd is not known.',
      'plans.yaml: workforce must have at least one plan.',
      'plans.yaml: new_account.wrkforce is not known.',
      'plans.yaml: new_account.compute must name one of its plans.',
      'plans.yaml: new_account.workforce must name one of its plans.',
      'plans.yaml: prices.0.price is not known.',
      'plans.yaml: prices.0.from must be a time such as 2026-12-01T00:00:00Z, to the second.',
      'plans.yaml: prices.0.subscriptions.compute.starter must be dollars, with at most two decimals; it is 0.001.',
      'plans.yaml: prices.0.subscriptions.workforce.starter must be dollars, with at most two decimals; it is -1.',
      'plans.yaml: prices.0.from_first_task must list workforce plans that have a price, or be [].',
      'plans.yaml: prices.0.compute_second.default is missing: it prices all other GPU types.',
      'plans.yaml: prices.0.models.digits must name GPU types and their prices.',
      'plans.yaml: prices.0.workforce_second must be dollars, with at most nine decimals; it is missing.',
    ])
  })

  it('is refused where it is empty, no YAML, or has a name twice', () => {
    for (const text of ['', '[]', 'compute: {', 'compute: {}\ncompute: {}']) assert.ok(faults(text).length > 0, text)
  })

  it('is refused where it is not there', () => {
    assert.throws(() => loadPlans('/no/such/plans.yaml'), ConfigurationError)
  })
})
