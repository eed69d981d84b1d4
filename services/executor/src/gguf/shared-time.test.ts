import assert from 'node:assert/strict'
import { it } from 'node:test'
import { SharedTime } from './shared-time.ts'

it('gives each run its part of the time that it shared', () => {
  let now = 100
  const time = new SharedTime(() => now)
  const [one, two] = [{}, {}]
  time.begin(one)
  now = 110
  time.begin(two)
  now = 130
  assert.equal(time.end(one), 20)
  now = 135
  assert.equal(time.end(two), 15)
})
