import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KeyedMutex } from './keyed-mutex.ts'

test('work on one key waits for what was asked before, however that ends; work on another does not', async () => {
  const mutex = new KeyedMutex()
  const done: string[] = []
  const first = Promise.withResolvers<void>()
  const failing = mutex.runExclusive('a', () => first.promise)
  const second = mutex.runExclusive('a', async () => done.push('second'))
  const third = mutex.runExclusive('a', async () => done.push('third'))
  await mutex.runExclusive('b', async () => done.push('other'))
  assert.deepEqual(done, ['other'])
  first.reject(new Error('failed'))
  await assert.rejects(failing, /failed/)
  await Promise.all([second, third])
  assert.deepEqual(done, ['other', 'second', 'third'])
})
