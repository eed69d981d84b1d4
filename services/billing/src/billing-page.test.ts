/** The numbers of docs/billing.md are those that the code makes. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { signedDecimalOf } from '@millhand/api'
import { loadPlans } from '@millhand/plans'
import type { PlanChange } from './ledger/ledger.ts'
import { subscriptionLines } from './ledger/subscription.ts'

const page = readFileSync(new URL('../../../docs/billing.md', import.meta.url), 'utf8')
const { prices } = loadPlans()

interface Shown {
  readonly lines: readonly { quantity: number; unit_price: { amount: string }; amount: { amount: string } }[]
  readonly total: { readonly amount: string }
  readonly forecast: { readonly total: { readonly amount: string } }
}

const micros = ({ amount }: { readonly amount: string }) => Math.round(Number(amount) * 1e6)
const plan = (resource_version: number, day: number, developer: string): PlanChange => ({
  ...{ at: Date.UTC(2026, 10, day), resource_version, event_id: `evt_${resource_version}` },
  ...{ compute: 'starter', developer, workforce: 'starter' },
})
const developerOf = (plans: readonly PlanChange[], until: number) =>
  subscriptionLines({ plans }, '2026-11', until, prices).filter(({ family }) => family === 'developer')

it('the first bill adds up', () => {
  const { lines, total, forecast }: Shown = JSON.parse(/```json\n(.*?)```/s.exec(page)?.[1] ?? '')
  assert.equal(
    lines.reduce((sum, { amount }) => sum + micros(amount), 0),
    micros(total),
  )
  const [compute, , developer] = lines
  assert.ok(compute && developer)
  assert.equal(Math.ceil(compute.quantity * micros(compute.unit_price)), micros(compute.amount))
  const [subscription] = developerOf([plan(1, 1, 'pro')], Date.UTC(2026, 10, 21))
  assert.equal(subscription?.micros, micros(developer.amount))
  // Usage so far in 20 of 30 days, and the whole month of the plan.
  assert.equal(micros(compute.amount) * 1.5 + micros(developer.unit_price), micros(forecast.total))
})

it('the example of plans that change', () => {
  const rows = [...page.matchAll(/^\| `(\w+)` \| (\d+) \| (\d+\.\d{6}) \|$/gm)].map(([, ...row]) => row)
  const plans = [plan(1, 1, 'free'), plan(2, 11, 'pro'), plan(3, 21, 'business')]
  const made = developerOf(plans, Date.UTC(2026, 11)).map(line => [
    line.plan,
    String(line.quantity / 86_400),
    signedDecimalOf(line.micros),
  ])
  assert.deepEqual(rows, made)
})
