import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBatchRoom } from './batch-room.ts'

test('calls at once make no more tasks than have room together', async () => {
  const room = createBatchRoom()
  let waiting = 0
  const ask = (wanted: number) =>
    room.reserve('acct_1/live', { wanted, most: 250, count: async () => waiting }, async taken => {
      await new Promise(resolve => setImmediate(resolve))
      waiting += taken
      return taken
    })
  const taken = await Promise.all(Array.from({ length: 20 }, () => ask(100)))
  assert.deepEqual([waiting, taken.slice(0, 4)], [250, [100, 100, 50, 0]])
  waiting = 200
  assert.equal(await ask(100), 50)
})

test('what could not be made leaves its room to others', async () => {
  const room = createBatchRoom()
  const request = { wanted: 10, most: 10, count: async () => 0 }
  const failing = room.reserve('acct_1/live', request, async () => {
    throw new Error('the store is away')
  })
  await assert.rejects(failing, /away/)
  assert.equal(await room.reserve('acct_1/live', request, async taken => taken), 10)
})
