import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RunTimes } from './run-times.ts'

test('the times of the groups that ran last are known, and no more than a thousand', () => {
  const times = new RunTimes()
  times.set('often', 1)
  for (let group = 0; group < 5_000; group++) {
    times.set(`${group}`, group)
    times.set('often', 2)
  }
  assert.deepEqual([times.of('often'), times.of('4999'), times.of('0')], [2, 4_999, Number.POSITIVE_INFINITY])
  assert.equal(times.of('3000'), Number.POSITIVE_INFINITY)
})
