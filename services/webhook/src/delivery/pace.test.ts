import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { type ManualClock, manualClock } from '@millhand/runner'
import { createPace, type Pace } from './pace.ts'

describe('the pace of an endpoint', () => {
  let clock: ManualClock
  let pace: Pace
  let heard: string[]
  beforeEach(() => {
    clock = manualClock()
    heard = []
    pace = createPace(clock, endpoint => heard.push(endpoint))
  })
  const goings = {
    swift: { failed: false, swift: true },
    slow: { failed: false, swift: false },
    failed: { failed: true, swift: true },
    silent: { failed: true, swift: false },
    'not tried': { failed: true, swift: undefined },
  } as const
  /** A try that begins and ends now. */
  const ended = (going: keyof typeof goings) => pace.ended('wh_1', goings[going], clock.monotonic())

  it('begins with one at a time and doubles with each success, up to 16', () => {
    const most = [pace.most('wh_1')]
    for (let n = 0; n < 6; n++) {
      ended('swift')
      most.push(pace.most('wh_1'))
    }
    assert.deepEqual(most, [1, 2, 4, 8, 16, 16, 16])
  })

  it('pauses after each failure, twice as long as before and at most 4 s, and says when that is over', async () => {
    ended('swift')
    const pauses: number[] = []
    for (let n = 0; n < 9; n++) {
      ended('failed')
      assert.equal(pace.most('wh_1'), 0)
      let ms = 0
      for (heard = []; heard.length === 0; ms += 10) await clock.advance(10)
      assert.equal(pace.most('wh_1'), 1)
      pauses.push(ms)
    }
    assert.deepEqual(pauses, [50, 100, 200, 400, 800, 1_600, 3_200, 4_000, 4_000])
    ended('swift')
    assert.equal(pace.most('wh_1'), 2)
    ended('failed')
    await clock.advance(50)
    assert.deepEqual([pace.most('wh_1'), pace.most('wh_2')], [1, 1])
  })

  it('takes what fails together for one failure', async () => {
    const beganAt = clock.monotonic()
    await clock.advance(1_000)
    for (let n = 0; n < 16; n++) pace.ended('wh_1', goings.failed, beganAt)
    await clock.advance(50)
    assert.equal(pace.most('wh_1'), 1)
  })

  it('calls swift who has just answered within a second, whatever it was', () => {
    const kinds = [pace.kind('wh_1')]
    for (const going of ['not tried', 'swift', 'slow', 'failed', 'silent', 'not tried'] as const) {
      ended(going)
      kinds.push(pace.kind('wh_1'))
    }
    assert.deepEqual(kinds, ['new', 'new', 'swift', 'slow', 'swift', 'slow', 'slow'])
  })

  it('calls slow who failed under an owner of before, until it answers', () => {
    pace.failing('wh_1')
    assert.equal(pace.kind('wh_1'), 'slow')
    ended('failed')
    assert.equal(pace.kind('wh_1'), 'swift')
  })

  it('is forgotten with its pauses', async () => {
    ended('failed')
    pace.clear()
    await clock.advance(60_000)
    assert.deepEqual([heard, pace.most('wh_1')], [[], 1])
  })
})
