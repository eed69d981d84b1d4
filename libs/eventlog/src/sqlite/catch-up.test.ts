import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createCatchUp } from './catch-up.ts'

const signal = new AbortController().signal

it('reads 500 events at once while nobody else wants the thread', async () => {
  const catchUp = createCatchUp(() => false)
  assert.equal(catchUp.batchSize(10_000), 500)
  await catchUp.pause(signal)
  assert.equal(catchUp.batchSize(20_000), 500)
})

it('reads what was appended meanwhile and 50 more while requests come, and all again afterwards', async () => {
  let isBusy = true
  const catchUp = createCatchUp(() => isBusy)
  assert.equal(catchUp.batchSize(10_000), 500)
  await catchUp.pause(signal)
  assert.equal(catchUp.batchSize(10_000), 50)
  await catchUp.pause(signal)
  assert.equal(catchUp.batchSize(10_220), 270)
  await catchUp.pause(signal)
  assert.equal(catchUp.batchSize(1_000_000), 2_000, 'a batch stays in memory')
  isBusy = false
  await catchUp.pause(signal)
  assert.equal(catchUp.batchSize(1_000_000), 500)
})

it('ends a pause with the signal', async () => {
  const catchUp = createCatchUp(() => true)
  await catchUp.pause(AbortSignal.abort())
})
