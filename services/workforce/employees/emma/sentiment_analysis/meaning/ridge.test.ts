import assert from 'node:assert/strict'
import { it } from 'node:test'
import { ridge } from './ridge.ts'

const rows = [
  [1, 0, 1],
  [0, 1, 1],
  [1, 1, 1],
  [2, -1, 1],
].map(row => Float64Array.from(row))
const targets = rows.map(([a = 0, b = 0]) => 3 * a - 2 * b + 0.5)

it('without a penalty finds the weights that the targets were made with', () => {
  for (const [at, weight] of ridge(rows, targets, 0).entries())
    assert.ok(Math.abs(weight - ([3, -2, 0.5][at] as number)) < 1e-9, String(weight))
})

it('with a penalty shrinks all but the constant', () => {
  const [a = 0, b = 0, constant = 0] = ridge(rows, targets, 1e9)
  assert.ok(Math.abs(a) < 1e-6 && Math.abs(b) < 1e-6)
  assert.ok(Math.abs(constant - targets.reduce((sum, target) => sum + target, 0) / targets.length) < 1e-6)
})
