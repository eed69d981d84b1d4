import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Figure, type Limit, median, ratio, reached } from './figure.ts'

const limit: Limit = { name: 'limit', rounds: [100, 200, 1000] }
const figure: Figure = { section: 's', name: 'n', unit: '/s', rounds: [50, 100, 100], limits: [limit], details: {} }

test('the median of an even number of rounds is between the two in the middle', () => {
  assert.equal(median([9, 1, 5]), 5)
  assert.equal(median([9, 1, 5, 6]), 5.5)
})

test('each round counts against the limit measured with it; a cited limit against the median', () => {
  assert.equal(ratio(figure, limit), 0.5)
  assert.equal(ratio(figure, { name: 'cited', rounds: [400] }), 0.25)
})

test('a figure is reached when it and its share of every limit are', () => {
  assert.equal(reached(figure), undefined)
  assert.equal(reached({ ...figure, aim: { least: 100 } }), true)
  assert.equal(reached({ ...figure, aim: { most: 99 } }), false)
  assert.equal(reached({ ...figure, aim: { least: 100 }, limits: [{ ...limit, leastRatio: 0.51 }] }), false)
  assert.equal(reached({ ...figure, limits: [{ ...limit, mostRatio: 0.5 }] }), true)
})
