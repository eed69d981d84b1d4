import assert from 'node:assert/strict'
import { it } from 'node:test'
import { loadPlans, type PriceSet } from '@millhand/plans'
import { memoryCollection } from '../usage/memory-collection.fixture.ts'
import { billedPast } from './billed-past.ts'
import { newLedger, type PlanChange } from './ledger.ts'
import { historyFaults, keepPrices, type PriceHistoryRecord, priceHistorySpec } from './price-history.ts'

const [first] = loadPlans().prices.sets as [PriceSet]
const now = Date.UTC(2026, 10, 15)
const at = (month: number, second = 1): PriceSet => ({
  ...first,
  from: Date.UTC(2026, month),
  workforce_second: second,
})
/** The latest that was billed happened at that time. */
const billedAt = (time: number) => ({ isBilledSince: async (from: number) => time >= from })
const busy = billedAt(now)

it('prices that have been in force stay; those to come may change', async () => {
  const before = [first, at(9), at(11)]
  for (const sets of [before, [first, at(9)], [first, at(9), at(11, 2)], [first, at(9), { ...first, from: now + 1 }]])
    assert.deepEqual(await historyFaults(before, sets, now, busy), [])
  const inForce = (month: string) =>
    `The prices from 2026-${month}-01T00:00:00Z on have been in force: the file of plans must have them as they were.`
  assert.deepEqual(await historyFaults(before, [first, at(9, 2)], now, busy), [inForce('10')])
  assert.deepEqual(await historyFaults(before, [at(9)], now, busy), [inForce('01')])
  assert.deepEqual(await historyFaults(before, [first, at(9), at(10)], now, busy), [
    'The prices from 2026-11-01T00:00:00Z on are new, and something was billed since: their time must be to come.',
  ])
  assert.deepEqual(await historyFaults([first, at(9), at(10)], [first, at(9)], now, busy), [inForce('11')])
})

it('prices whose time passed before the first start with them hold where nothing was billed since', async () => {
  const faults = (billed: number) => historyFaults([first], [first, at(10)], now, billedAt(billed))
  assert.deepEqual(await faults(Date.UTC(2026, 10) - 1), [])
  assert.equal((await faults(Date.UTC(2026, 10))).length, 1)
})

it('a price whose time passed holds where no plan has run since that it reprices', async () => {
  const repriced: PriceSet = {
    ...at(10, first.workforce_second),
    subscriptions: { ...first.subscriptions, developer: { ...first.subscriptions.developer, pro: 59_000_000 } },
  }
  const names = { compute: 'starter', developer: 'pro', workforce: 'starter' }
  const change = (day: number, more: Partial<PlanChange> = {}): PlanChange => ({
    ...{ ...names, at: Date.UTC(2026, 9, day), resource_version: day, event_id: `evt_${day}` },
    ...more,
  })
  const faults = async (...plans: PlanChange[]) => {
    const ledger = { ...newLedger('acct_a/live', Date.UTC(2026, 10), 0), version: 1, plans }
    const nothing = { entries: { find: async () => [] } }
    const usage = { compute: nothing, workforce: nothing, instances: nothing }
    return await historyFaults(
      [first],
      [first, repriced],
      now,
      billedPast({ ledgers: { find: async () => [ledger] }, usage }),
    )
  }
  assert.equal((await faults(change(1))).length, 1)
  assert.deepEqual(await faults(change(1), change(2, { developer: 'free' })), [])
  assert.deepEqual(await faults(change(1), change(2, { suspended: true })), [])
  assert.deepEqual(await faults(), [])
})

it('tasks are charged from the first start on where usage was counted before, and always else', async () => {
  for (const isCounted of [true, false]) {
    const history = memoryCollection<PriceHistoryRecord, never>(priceHistorySpec, async () => {})
    const past = { ...busy, isUsageCounted: async () => isCounted }
    assert.equal(await keepPrices(history, [first], now, past), isCounted ? now : 0)
    const later = { ...busy, isUsageCounted: async () => true }
    assert.equal(await keepPrices(history, [first, at(11)], now + 2, later), isCounted ? now : 0)
  }
})

it('a first start whose clock was ahead charges from the first moment that is known to be right', async () => {
  const history = memoryCollection<PriceHistoryRecord, never>(priceHistorySpec, async () => {})
  const past = { ...busy, isUsageCounted: async () => true }
  assert.equal(await keepPrices(history, [first], now + 40 * 86_400_000, past), now + 40 * 86_400_000)
  assert.equal(await keepPrices(history, [first], now, past), now)
  assert.equal(await keepPrices(history, [first], now + 1, past), now)
})
