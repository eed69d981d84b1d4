import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createCursors } from './cursor.ts'
import { codeOf } from './errors.ts'

const cursors = createCursors(new Uint8Array(32).fill(1))
const refused = (cursor: string, boundTo = 'tasks desc') =>
  assert.throws(
    () => cursors.open(cursor, boundTo),
    error => codeOf(error) === 'invalid_cursor',
    cursor,
  )

test('a cursor opens to its position', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (position, boundTo) => {
      const cursor = cursors.seal(position, boundTo)
      assert.match(cursor, /^[A-Za-z0-9_-]+$/)
      assert.equal(JSON.stringify(cursors.open(cursor, boundTo)), JSON.stringify(position))
    }),
  )
})

test('a cursor is bound to its filters, and to the secret', () => {
  const cursor = cursors.seal({ id: 'task_1' }, 'tasks desc')
  refused(cursor, 'tasks asc')
  refused(cursor, '')
  refused(createCursors(new Uint8Array(32).fill(2)).seal({ id: 'task_1' }, 'tasks desc'))
})

test('no changed character goes through', () => {
  const cursor = cursors.seal({ id: 'task_1' }, 'tasks desc')
  for (let at = 0; at < cursor.length; at++) {
    const other = cursor[at] === 'A' ? 'B' : 'A'
    refused(cursor.slice(0, at) + other + cursor.slice(at + 1))
  }
  refused(`${cursor}A`)
  refused(`${cursor}=`)
  refused(` ${cursor}`)
  refused(cursor.slice(0, -1))
})

test('anything else is refused, never an exception of another kind', () => {
  for (const cursor of ['', 'A', 'null', '\0', '💥', '\ud800', 'A'.repeat(22), 'A'.repeat(100_000)]) refused(cursor)
  fc.assert(fc.property(fc.string({ unit: 'binary' }), cursor => refused(cursor)))
})

test('a short secret is refused', () => {
  assert.throws(() => createCursors(new Uint8Array(31)), RangeError)
})
