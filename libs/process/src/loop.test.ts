import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type Clock, manualClock } from './clock.ts'
import { backoff, everyInterval, retry } from './loop.ts'

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

describe('backoff', () => {
  it('doubles its limit with each try, up to the most', () => {
    const wait = backoff({ baseMs: 1_000, maxMs: 60_000, random: () => 1 })
    const waits = [1, 2, 3, 4, 5, 6, 7, 8].map(wait)
    assert.deepEqual(waits, [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
  })

  it('spreads each wait from 0 to its limit, however many tries there were', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempt, random) => {
          const wait = backoff({ baseMs: 5, maxMs: 100, random: () => random })(attempt)
          const limit = backoff({ baseMs: 5, maxMs: 100, random: () => 1 })(attempt)
          assert.ok(wait >= 0 && wait <= limit && limit <= 100)
          assert.equal(wait, random * limit)
        },
      ),
    )
  })
})

describe('retry', () => {
  const fails = (times: number) => {
    let tries = 0
    return async () => {
      if (tries++ < times) throw new Error(`failure ${tries}`)
      return tries
    }
  }
  const options = (clock: Clock, signal: AbortSignal) => ({ clock, waitMs: (attempt: number) => attempt * 10, signal })

  it('calls again after each wait until it succeeds, and tells of each failure', async () => {
    const clock = manualClock()
    const told: string[] = []
    const onFailure = (error: unknown, attempt: number) => void told.push(`${attempt}: ${(error as Error).message}`)
    const retried = retry(fails(2), { ...options(clock, new AbortController().signal), onFailure })
    await clock.advance(29)
    assert.deepEqual(told, ['1: failure 1', '2: failure 2'])
    await clock.advance(1)
    assert.equal(await retried, 3)
  })

  it('ends with what is thrown at a failure', async () => {
    const onFailure = (error: unknown) => {
      throw error
    }
    const retried = retry(fails(1), { ...options(manualClock(), new AbortController().signal), onFailure })
    await assert.rejects(retried, /failure 1/)
  })

  it('ends with the signal, while it waits and after a call', async () => {
    const clock = manualClock()
    const abort = new AbortController()
    const retried = retry(fails(9), options(clock, abort.signal))
    await clock.advance(5)
    abort.abort(new Error('stopped'))
    await assert.rejects(retried, /stopped/)
    await assert.rejects(retry(fails(9), options(clock, abort.signal)), /stopped/)
  })
})
