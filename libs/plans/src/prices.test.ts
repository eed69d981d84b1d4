import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { ConfigurationError } from '@millhand/process'
import { parsePlanFile } from './plan-file.ts'
import { pricesOf } from './prices.ts'

const shipped = readFileSync(new URL('../../../deploy/plans.yaml', import.meta.url), 'utf8')
const set = (from: string, more = '') => `
  - from: ${from}
    subscriptions:
      compute: { starter: 0, growth: 0, scale: 0, enterprise: 0 }
      developer: { free: 0, pro: 59.5, business: 199, enterprise: null }
      workforce: { starter: 29, professional: 99, enterprise: 199 }
    from_first_task: [starter]
    compute_second: { default: 0.00003, h100: "0.000694444" }
    models: { digits: { default: 1, h100: 2 } }
    workforce_second: 0.00004
${more}`
const december = Date.UTC(2026, 11)

describe('prices', () => {
  const prices = pricesOf(parsePlanFile(shipped + set('2026-12-01T00:00:00Z'), 'plans.yaml').prices)

  it('hold from their time on, to the millisecond', () => {
    const of = (at: number) => [
      prices.computeSecond('cpu', 'a', at),
      prices.computeSecond('h100', 'a', at),
      prices.workforceSecond(at),
      prices.subscription('developer', 'pro', at),
    ]
    assert.deepEqual(of(december - 1), [20_000, 20_000, 20_000, 49_000_000])
    assert.deepEqual(of(december), [30_000, 694_444, 40_000, 59_500_000])
    assert.deepEqual(of(0), of(december - 1), 'what came before the first costs what that says')
  })

  it('of a model go before those of its GPU type', () => {
    assert.equal(prices.computeSecond('h100', 'digits', december), 2e9)
    assert.equal(prices.computeSecond('cpu', 'digits', december), 1e9)
    assert.equal(prices.computeSecond('constructor', 'toString', december), 30_000)
  })

  it('tell when they change within a time', () => {
    assert.deepEqual(prices.changes(december - 1, december + 1), [december])
    assert.deepEqual(prices.changes(december, december + 1), [])
    assert.deepEqual(prices.changes(0, december), [Date.UTC(2026, 0)])
  })

  it('of a plan that has gone are those that it last had; one by agreement is not charged', () => {
    const text = shipped.replace('  pro: { requests_per_minute: 1000 }\n', '')
    const file = text + set('2026-12-01T00:00:00Z').replace('pro: 59.5, ', '')
    const { subscription } = pricesOf(parsePlanFile(file, 'plans.yaml').prices)
    assert.equal(subscription('developer', 'pro', december), 49_000_000)
    assert.equal(subscription('developer', 'enterprise', december), 0)
    assert.equal(subscription('developer', 'constructor', december), 0)
  })
})

describe('a plan whose first price is to come', () => {
  it('costs nothing until then', () => {
    const file = shipped.replace('pro: 49, ', '') + set('2026-12-01T00:00:00Z')
    const { subscription } = pricesOf(parsePlanFile(file, 'plans.yaml').prices)
    assert.deepEqual(
      [0, december - 1, december].map(at => subscription('developer', 'pro', at)),
      [0, 0, 59_500_000],
    )
  })
})

describe('the prices of a file', () => {
  const faults = (text: string) => {
    try {
      parsePlanFile(text, 'plans.yaml')
    } catch (error) {
      assert.ok(error instanceof ConfigurationError)
      return error.faults
    }
    return []
  }

  it('come in the order of their times', () => {
    for (const from of ['2026-01-01T00:00:00Z', '2025-12-31T00:00:00Z'])
      assert.deepEqual(faults(shipped + set(from)), [
        'plans.yaml: prices.1.from must be later than that of the item before.',
      ])
  })

  it('name every plan that is offered', () => {
    assert.deepEqual(faults(shipped + set('2026-12-01T00:00:00Z').replace('pro: 59.5, ', '')), [
      'plans.yaml: prices.1.subscriptions.developer.pro is missing: every plan has a price.',
    ])
  })

  it('are decimals: what YAML would read as less precise is refused', () => {
    const file = shipped + set('2026-12-01T00:00:00Z').replace('0.00003', '0.0000003')
    assert.deepEqual(faults(file), [
      'plans.yaml: prices.1.compute_second.default must be dollars, with at most nine decimals; it is 3e-7.',
    ])
    assert.deepEqual(faults(file.replace('0.0000003', '"0.0000003"')), [])
  })
})
