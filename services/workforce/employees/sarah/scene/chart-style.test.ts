import assert from 'node:assert/strict'
import { it } from 'node:test'
import { valueWriter } from './chart-style.ts'

it('values of one chart are whole below a million, where that is shorter', () => {
  const written = (...values: number[]) => values.map(valueWriter(values))
  assert.deepEqual(written(656, 11_393), ['656', '11,393'])
  assert.deepEqual(written(125_500, 64_000), ['125.5K', '64K'])
  assert.deepEqual(written(1_500_000_000, 11_393), ['1.5B', '11.393K'])
})
