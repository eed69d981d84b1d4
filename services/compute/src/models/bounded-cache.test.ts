import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BoundedCache } from './bounded-cache.ts'

const kept = (cache: BoundedCache<number>, keys: string) =>
  [...keys].filter(key => cache.get(key) !== undefined).join('')

test('what was used last is kept, up to the number of entries', () => {
  const cache = new BoundedCache<number>({ entries: 2, characters: 100 })
  cache.set('a', 1, 1)
  cache.set('b', 2, 1)
  assert.equal(cache.get('a'), 1)
  cache.set('c', 3, 1)
  assert.equal(kept(cache, 'abc'), 'ac')
})

test('large values take the place of several, and one that is larger than the cache is not kept', () => {
  const cache = new BoundedCache<number>({ entries: 9, characters: 10 })
  for (const key of 'abc') cache.set(key, 1, 3)
  cache.set('d', 1, 6)
  assert.equal(kept(cache, 'abcd'), 'cd')
  cache.set('d', 2, 1)
  assert.equal(cache.get('d'), 2)
  cache.set('e', 1, 11)
  assert.equal(kept(cache, 'abcde'), '')
})
