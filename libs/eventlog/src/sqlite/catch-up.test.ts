import assert from 'node:assert/strict'
import { describe, it, mock } from 'node:test'
import { createCatchUp } from './catch-up.ts'

const signal = new AbortController().signal

describe('a reader that is behind', () => {
  it('reads 500 events at once while nobody else wants the thread', async () => {
    const catchUp = createCatchUp(() => false)
    assert.deepEqual(catchUp.nextBatch(10_000), { events: 500, rows: 2_000 })
    await catchUp.pause(signal)
    assert.deepEqual(catchUp.nextBatch(20_000), { events: 500, rows: 2_000 })
  })

  it('reads what was appended meanwhile and 50 more while requests come, and all again afterwards', async () => {
    let isBusy = true
    const catchUp = createCatchUp(() => isBusy)
    assert.equal(catchUp.nextBatch(10_000).events, 500)
    await catchUp.pause(signal)
    assert.equal(catchUp.nextBatch(10_000).events, 50)
    await catchUp.pause(signal)
    assert.equal(catchUp.nextBatch(10_220).events, 270)
    await catchUp.pause(signal)
    assert.equal(catchUp.nextBatch(1_000_000).events, 2_000, 'a batch stays in memory')
    isBusy = false
    await catchUp.pause(signal)
    assert.equal(catchUp.nextBatch(1_000_000).events, 500)
  })

  it('looks at few rows of other topics while requests come, and at no fewer than come', async () => {
    const catchUp = createCatchUp(() => true)
    catchUp.nextBatch(10_000)
    await catchUp.pause(signal)
    assert.equal(catchUp.nextBatch(10_000).rows, 200)
    await catchUp.pause(signal)
    assert.deepEqual(catchUp.nextBatch(50_000), { events: 2_000, rows: 2_000 })
  })

  it('rests four times as long as a batch took while requests come', async () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    let now = 0
    const catchUp = createCatchUp(
      () => true,
      () => now,
    )
    for (const [tookMs, restMs] of [
      [1, 20],
      [30, 120],
      [60_000, 500],
    ] as const) {
      catchUp.nextBatch(10_000)
      now += tookMs
      let isOver = false
      const pause = catchUp.pause(signal).then(() => {
        isOver = true
      })
      mock.timers.tick(restMs - 1)
      await new Promise(resolve => setImmediate(resolve))
      assert.equal(isOver, false)
      mock.timers.tick(1)
      await pause
    }
    mock.timers.reset()
  })

  it('ends a pause with the signal', async () => {
    const catchUp = createCatchUp(() => true)
    await catchUp.pause(AbortSignal.abort())
  })
})
