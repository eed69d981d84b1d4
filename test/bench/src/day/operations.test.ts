import assert from 'node:assert/strict'
import { test } from 'node:test'
import { random } from '@millhand/test-faults/random'
import { chooser } from './calls.ts'
import { operations } from './operations.ts'

test('the shares of all operations are a thousand together, and each is chosen as often', () => {
  const sum = operations.reduce((so, { share }) => so + share, 0)
  assert.equal(sum, 1_000)
  const choose = chooser(operations)
  const counts = new Map<string, number>()
  for (let at = 0; at < 1_000; at++) {
    const { name } = choose(at / 1_000)
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  for (const { name, share } of operations) assert.equal(counts.get(name), share, name)
  assert.equal(choose(random(1).next()), choose(random(1).next()), 'a seed replays the choice')
})
