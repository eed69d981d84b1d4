import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  countsOf,
  haveAllEnded,
  type ItemState,
  indexesOf,
  newItems,
  refusalOf,
  stateAt,
  withRefusals,
  withStates,
} from './item-state.ts'

const states: readonly ItemState[] = [
  'waiting',
  'queued',
  'running',
  'cancelling',
  'succeeded',
  'failed',
  'cancelled',
  'expired',
]
const ends: readonly ItemState[] = ['succeeded', 'failed', 'cancelled', 'expired']
const one = (state: ItemState) => withStates(newItems('t', 'batch_1', 1), new Map([[0, state]]))

test('an item goes to any state but back to waiting, until it has ended', () => {
  for (const before of states)
    for (const after of states) {
      const isLast = ends.includes(before)
      const expected = isLast || after === 'waiting' ? before : after
      assert.equal(stateAt(withStates(one(before), new Map([[0, after]])), 0), expected, `${before}, ${after}`)
    }
})

test('changes come in any order, and of other items than there are', () => {
  const items = withStates(
    newItems('t', 'batch_1', 5),
    new Map([
      [4, 'running'],
      [1, 'succeeded'],
      [5, 'failed'],
      [0, 'queued'],
    ]),
  )
  assert.equal(items.states, 'qs..r')
  assert.deepEqual(indexesOf(items, 'waiting', 'running'), [2, 3, 4])
})

test('what is not made counts as queued', () => {
  const items = { states: '.qqrcsssfxe' }
  const counts = { queued: 3, running: 1, cancelling: 1, succeeded: 3, failed: 1, cancelled: 1, expired: 1 }
  assert.deepEqual(countsOf(items), counts)
})

test('all have ended where none can change', () => {
  for (const state of states) assert.equal(haveAllEnded(one(state)), ends.includes(state), state)
})

test('a reason for which many items in a row were refused is kept once', () => {
  const gone = { code: 'invalid_parameter', message: 'There is no such model.' }
  const full = { code: 'daily_quota_exceeded', message: 'There is no place left.' }
  const first = withRefusals(
    [],
    [
      [3, gone],
      [4, gone],
    ],
  )
  const refusals = withRefusals(first, [
    [5, gone],
    [6, full],
    [8, full],
  ])
  assert.equal(refusals.length, 3)
  const found = [2, 3, 5, 6, 7, 8, 9].map(index => refusalOf({ refusals }, index))
  assert.deepEqual(found, [undefined, gone, gone, full, undefined, full, undefined])
})
