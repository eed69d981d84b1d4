import assert from 'node:assert/strict'
import { it } from 'node:test'
import { loadPlans, type PriceSet } from '@millhand/plans'
import { historyFaults } from './price-history.ts'

const [first] = loadPlans().prices.sets as [PriceSet]
const now = Date.UTC(2026, 10, 15)
const at = (month: number, second = 1): PriceSet => ({
  ...first,
  from: Date.UTC(2026, month),
  workforce_second: second,
})

it('prices that have been in force stay; those to come may change', () => {
  const before = [first, at(9), at(11)]
  for (const sets of [before, [first, at(9)], [first, at(9), at(11, 2)], [first, at(9), { ...first, from: now + 1 }]])
    assert.deepEqual(historyFaults(before, sets, now), [])
  const inForce = (month: string) =>
    `The prices from 2026-${month}-01T00:00:00Z on have been in force: the file of plans must have them as they were.`
  assert.deepEqual(historyFaults(before, [first, at(9, 2)], now), [inForce('10')])
  assert.deepEqual(historyFaults(before, [at(9)], now), [inForce('01')])
  assert.deepEqual(historyFaults(before, [first, at(9), at(10)], now), [
    'The prices from 2026-11-01T00:00:00Z on are new: their time must be to come.',
  ])
  assert.deepEqual(historyFaults([first, at(9), at(10)], [first, at(9)], now), [inForce('11')])
})
