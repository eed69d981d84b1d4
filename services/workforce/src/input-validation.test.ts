import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxFaults } from '@millhand/api'
import { inputFaults } from './input-validation.ts'

const schema = {
  type: 'object',
  additionalProperties: false,
  properties: { words: { type: 'array', items: { type: 'string' } } },
}
const faultsIn = inputFaults({ input_schema: schema })

/** What is wrong with an input of so many numbers, and how many of them the check read. */
function checked(numbers: number) {
  let reads = 0
  const words = new Proxy(Array<number>(numbers).fill(1), {
    get(target, key) {
      reads++
      return Reflect.get(target, key)
    },
  })
  return { faults: faultsIn({ words }, 2 * numbers), reads }
}

test('every fault of a small input is named', () => {
  assert.deepEqual(
    checked(5).faults.map(({ param }) => param),
    [0, 1, 2, 3, 4].map(at => `input.words[${at}]`),
  )
})

test('no more faults are made than an answer shows, and one that tells of more', () => {
  assert.equal(checked(1_000).faults.length, maxFaults + 1)
})

test('of an input of many bytes the first fault is named, however few its values are', () => {
  assert.equal(faultsIn({ words: [1, 2] }, 65_536).length, 2)
  assert.equal(faultsIn({ words: [1, 2] }, 65_537).length, 1)
})

test('of an input with many values the first fault is named, and the rest is not read for more', () => {
  const { faults, reads } = checked(30_000)
  assert.deepEqual(faults, [
    { param: 'input.words[0]', code: 'wrong_type', message: '`input.words[0]` must be string.' },
  ])
  assert.ok(reads < 10_000, `${reads} reads`)
})
