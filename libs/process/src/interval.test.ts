import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { manualClock } from './clock.ts'
import { everyInterval } from './interval.ts'

describe('everyInterval', () => {
  it('calls at once, then after each interval, until the signal fires', async () => {
    const clock = manualClock()
    const abort = new AbortController()
    const calls: number[] = []
    const loop = everyInterval(clock, 10, abort.signal, () => void calls.push(clock.now()))
    await clock.advance(25)
    abort.abort()
    await loop
    await clock.advance(100)
    assert.deepEqual(calls, [0, 10, 20])
  })

  it('never has two calls at once', async () => {
    const clock = manualClock()
    const abort = new AbortController()
    const calls: number[] = []
    const loop = everyInterval(clock, 10, abort.signal, async signal => {
      calls.push(clock.now())
      await clock.sleep(30, signal)
    })
    await clock.advance(85)
    abort.abort()
    await loop
    assert.deepEqual(calls, [0, 40, 80])
  })

  it('rejects when a call does, but not for what fails because of the signal', async () => {
    const clock = manualClock()
    const abort = new AbortController()
    const failing = () => Promise.reject(new Error('broken'))
    await assert.rejects(everyInterval(clock, 10, abort.signal, failing), /broken/)
    const loop = everyInterval(clock, 10, abort.signal, () => {
      abort.abort()
      throw new Error('stopped half way')
    })
    await loop
  })
})
