import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Clock, manualClock } from './clock.ts'
import { retry } from './retry.ts'

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
