import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PORTION_CHARACTERS, portions } from './input-portions.ts'
import { item } from './models.fixture.ts'

const QUARTER = PORTION_CHARACTERS / 4
const lengths = (...inputs: number[]) =>
  portions(inputs.map(length => item('x'.repeat(length)))).map(portion =>
    portion.map(({ input }) => (input as string).length),
  )

test('items go together as long as they fit', () => {
  assert.deepEqual(lengths(), [])
  assert.deepEqual(lengths(0, 1, 2), [[0, 1, 2]])
  assert.deepEqual(lengths(QUARTER, QUARTER, QUARTER, QUARTER, 1), [[QUARTER, QUARTER, QUARTER, QUARTER], [1]])
  assert.deepEqual(lengths(1, PORTION_CHARACTERS, 1), [[1], [PORTION_CHARACTERS], [1]])
})

test('an item larger than a portion goes alone', () => {
  const large = PORTION_CHARACTERS + 1
  assert.deepEqual(lengths(1, large, large, 0, 1), [[1], [large], [large], [0, 1]])
})

test('parameters count too', () => {
  const parameters = { text: 'x'.repeat(PORTION_CHARACTERS) }
  assert.equal(portions([item('', parameters), item('', parameters)]).length, 2)
})

test('what is in a file counts too', () => {
  const file = { path: '/none', bytes: PORTION_CHARACTERS }
  assert.equal(portions([item(file), item('1')]).length, 2)
})
