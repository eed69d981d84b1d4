import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { type ManualClock, manualClock } from '@millhand/process'
import { type ConcurrencyLimiter, createConcurrencyLimiter } from './concurrency-limiter.ts'

describe('the pace of an endpoint', () => {
  let clock: ManualClock
  let limiter: ConcurrencyLimiter
  let heard: string[]
  beforeEach(() => {
    clock = manualClock()
    heard = []
    limiter = createConcurrencyLimiter(clock, endpoint => heard.push(endpoint))
  })
  const outcomes = {
    swift: { failed: false, swift: true },
    slow: { failed: false, swift: false },
    failed: { failed: true, swift: true },
    silent: { failed: true, swift: false },
    'not tried': { failed: true, swift: undefined },
  } as const
  /** A try that begins and ends now. */
  const ended = (outcome: keyof typeof outcomes) => limiter.ended('wh_1', outcomes[outcome], clock.monotonic())

  it('begins with one at a time and doubles with each success, up to 16', () => {
    const limit = [limiter.limit('wh_1')]
    for (let n = 0; n < 6; n++) {
      ended('swift')
      limit.push(limiter.limit('wh_1'))
    }
    assert.deepEqual(limit, [1, 2, 4, 8, 16, 16, 16])
  })

  it('pauses after each failure, twice as long as before and at most 4 s, and says when that is over', async () => {
    ended('swift')
    const pauses: number[] = []
    for (let n = 0; n < 9; n++) {
      ended('failed')
      assert.equal(limiter.limit('wh_1'), 0)
      let ms = 0
      for (heard = []; heard.length === 0; ms += 10) await clock.advance(10)
      assert.equal(limiter.limit('wh_1'), 1)
      pauses.push(ms)
    }
    assert.deepEqual(pauses, [50, 100, 200, 400, 800, 1_600, 3_200, 4_000, 4_000])
    ended('swift')
    assert.equal(limiter.limit('wh_1'), 2)
    ended('failed')
    await clock.advance(50)
    assert.deepEqual([limiter.limit('wh_1'), limiter.limit('wh_2')], [1, 1])
  })

  it('takes what fails together for one failure', async () => {
    const beganAt = clock.monotonic()
    await clock.advance(1_000)
    for (let n = 0; n < 16; n++) limiter.ended('wh_1', outcomes.failed, beganAt)
    await clock.advance(50)
    assert.equal(limiter.limit('wh_1'), 1)
  })

  it('calls swift who has just answered within a second, whatever it was', () => {
    const kinds = [limiter.kind('wh_1')]
    for (const outcome of ['not tried', 'swift', 'slow', 'failed', 'silent', 'not tried'] as const) {
      ended(outcome)
      kinds.push(limiter.kind('wh_1'))
    }
    assert.deepEqual(kinds, ['new', 'new', 'swift', 'slow', 'swift', 'slow', 'slow'])
  })

  it('calls slow who failed under an owner of before, until it answers', () => {
    limiter.failing('wh_1')
    assert.equal(limiter.kind('wh_1'), 'slow')
    ended('failed')
    assert.equal(limiter.kind('wh_1'), 'swift')
  })

  it('is forgotten with its pauses', async () => {
    ended('failed')
    limiter.clear()
    await clock.advance(60_000)
    assert.deepEqual([heard, limiter.limit('wh_1')], [[], 1])
  })
})
