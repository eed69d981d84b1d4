import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Turns } from './turns.ts'

test('work on one key waits for what was asked before, however that ends; work on another does not', async () => {
  const turns = new Turns()
  const done: string[] = []
  const first = Promise.withResolvers<void>()
  const failing = turns.take('a', () => first.promise)
  const second = turns.take('a', async () => done.push('second'))
  const third = turns.take('a', async () => done.push('third'))
  await turns.take('b', async () => done.push('other'))
  assert.deepEqual(done, ['other'])
  first.reject(new Error('failed'))
  await assert.rejects(failing, /failed/)
  await Promise.all([second, third])
  assert.deepEqual(done, ['other', 'second', 'third'])
})
