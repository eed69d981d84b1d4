import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { conflict, item, TENANT, written } from '../contract-items.fixture.ts'
import { outcomeOf, type Trace } from './outcome.ts'
import { layoutOf } from './stored-document.ts'
import { overTombstone, statementOf } from './write-statement.ts'

const layout = layoutOf({ name: 'items', indexes: {} })
const insert = statementOf(layout, { kind: 'insert', document: item('a'), events: [] }, 'mine')
const replace = statementOf(layout, { kind: 'replace', version: 7, document: item('a'), events: [] }, 'mine')
const remove = statementOf(layout, { kind: 'remove', version: 7, tenant: TENANT, id: 'a', events: [] }, 'mine')
const over = overTombstone(insert as never)

const at = (version: number, ...writes: string[]): Trace => ({ version, writes })
const tombstone = (...writes: string[]): Trace => ({ writes })

describe('the outcome of a write that was not answered', () => {
  const table = [
    ['an insertion, nothing there', insert, undefined, 'open'],
    ['an insertion, as it was made', insert, at(1, 'mine'), written(1)],
    ['an insertion, changed since', insert, at(4, 'mine', 'x', 'y', 'z'), written(1)],
    ['an insertion, another there', insert, at(1, 'x'), conflict('primary')],
    ['an insertion, another there that was changed', insert, at(4, 'v', 'x', 'y', 'z'), conflict('primary')],
    ['an insertion, another there that began later', insert, at(1_000, 'x', 'y', 'z'), conflict('primary')],
    ['an insertion, who knows which there', insert, at(5, 'x', 'y', 'z', 'a'), 'unknown'],
    ['an insertion, removed since', insert, tombstone('mine', 'x'), written(1)],
    ['an insertion, another removed', insert, tombstone('x', 'y'), 'open'],
    ['an insertion, who knows which removed', insert, tombstone('x', 'y', 'z', 'a'), 'unknown'],

    ['one over a tombstone that is there', over, tombstone('x', 'y'), 'open'],
    ['one over a tombstone, made', over, at(1, 'x', 'y', 'mine'), written(1)],
    ['one over a tombstone, another made', over, at(1, 'x', 'y', 'z'), conflict('primary')],

    ['a replacement, nothing there', replace, undefined, 'unknown'],
    ['a replacement, as it was', replace, at(7, 'x'), 'open'],
    ['a replacement, inserted again since', replace, at(3, 'x'), 'unknown'],
    ['a replacement, made', replace, at(8, 'x', 'mine'), written(8)],
    ['a replacement, changed since', replace, at(11, 'mine', 'x', 'y', 'z'), written(8)],
    ['a replacement, another made', replace, at(8, 'x', 'y'), conflict('version')],
    ['a replacement, another made and changed', replace, at(11, 'x', 'y', 'z', 'a'), conflict('version')],
    ['a replacement, changed too often since', replace, at(12, 'x', 'y', 'z', 'a'), 'unknown'],
    ['a replacement, removed since', replace, tombstone('mine', 'x'), written(8)],
    ['a replacement, removed before', replace, tombstone('x', 'y'), conflict('version')],
    ['a replacement, removed who knows when', replace, tombstone('x', 'y', 'z', 'a'), 'unknown'],

    ['a removal, made', remove, tombstone('x', 'mine'), written(7)],
    ['a removal, nothing there', remove, undefined, 'unknown'],
    ['a removal, as it was', remove, at(7, 'x'), 'open'],
    ['a removal, another change made', remove, at(8, 'x'), conflict('version')],
    ['a removal, made and inserted again', remove, at(1, 'x', 'mine', 'y'), written(7)],
  ] as const
  for (const [name, write, found, outcome] of table) {
    it(`${name}: ${typeof outcome === 'string' ? outcome : Object.values(outcome).join(' ')}`, () => {
      assert.deepEqual(outcomeOf(write, found), outcome)
    })
  }
})
