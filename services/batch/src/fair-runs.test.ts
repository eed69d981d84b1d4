import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createFairRuns } from './fair-runs.ts'

/** Work that ends when it is told to; `begun` has the keys in the order in which they began. */
function givenWork() {
  const begun: string[] = []
  const open = new Map<string, () => void>()
  const work = (key: string) => () => {
    begun.push(key)
    return new Promise<void>(resolve => open.set(key, resolve))
  }
  const end = async (key: string) => {
    open.get(key)?.()
    await turn()
  }
  return { begun, work, end }
}

test('a tenant has its share at most, and what others start does not wait behind it', async () => {
  const runs = createFairRuns(3, 2)
  const { begun, work, end } = givenWork()
  for (const key of ['a1', 'a2', 'a3', 'b1', 'b2']) runs.start(key.charAt(0), key, work(key))
  assert.deepEqual(begun, ['a1', 'a2', 'b1'])
  await end('a1')
  assert.deepEqual(begun, ['a1', 'a2', 'b1', 'a3'])
  await end('b1')
  assert.deepEqual(begun, ['a1', 'a2', 'b1', 'a3', 'b2'])
  for (const key of ['a2', 'a3', 'b2']) await end(key)
  await runs.settled()
  assert.ok(!runs.has('a1'))
})

test('a key runs once at a time', async () => {
  const runs = createFairRuns(3, 2)
  const { begun, work, end } = givenWork()
  runs.start('a', 'a1', work('a1'))
  runs.start('a', 'a1', work('a1'))
  assert.deepEqual(begun, ['a1'])
  await end('a1')
  runs.start('a', 'a1', work('a1'))
  assert.deepEqual(begun, ['a1', 'a1'])
  await end('a1')
})

test('once it closes it waits for what runs, drops what waits and starts nothing', async () => {
  const runs = createFairRuns(1, 1)
  const { begun, work, end } = givenWork()
  runs.start('a', 'a1', work('a1'))
  runs.start('b', 'b1', work('b1'))
  let isClosed = false
  const closing = runs.close().then(() => {
    isClosed = true
  })
  runs.start('c', 'c1', work('c1'))
  await turn()
  assert.ok(!isClosed)
  await end('a1')
  await closing
  assert.deepEqual(begun, ['a1'])
})
