import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ITEMS } from '../contract-items.fixture.ts'
import { countQuery, findQuery } from './find-query.ts'
import { type DeclaredIndex, declaredIndexes } from './indexes.ts'

const indexes = declaredIndexes(ITEMS)
const due = indexes.get('due') as DeclaredIndex

test('what is in a partial index is counted without a look at a document', () => {
  const { filter, options } = countQuery('due', due, { equals: [3], after: ['a'] }, 10)
  assert.deepEqual(due.description.key, { due: 1, id: 1, tenant: 1, state: 1 })
  assert.deepEqual(fieldsOf(filter), ['due', 'id', 'state'])
  assert.equal(options.hint, due.description.name)
})

test('its condition is no part of its order', () => {
  const { options } = findQuery('due', due, { equals: [3], limit: 1 })
  assert.deepEqual(options.sort, { id: 1, tenant: 1 })
  assert.throws(() => findQuery('due', due, { equals: [3], after: ['a', 'b', 'c'], limit: 1 }), RangeError)
})

test('tombstones are in all other indexes, so a query leaves them out', () => {
  const { filter } = countQuery('by_state', indexes.get('by_state') as DeclaredIndex, { equals: ['idle'] }, 1)
  assert.deepEqual(fieldsOf(filter), ['state', 'version'])
})

/** All fields that a filter names. */
function fieldsOf(filter: object): string[] {
  const named = Object.entries(filter).flatMap(([name, value]) =>
    name.startsWith('$') ? (value as object[]).flatMap(fieldsOf) : [name],
  )
  return [...new Set(named)].sort()
}
