import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { payloadOf } from './attempt.ts'

describe('the body of a delivery', () => {
  it('is the event as it was written, with another name for its time', () => {
    const event = '{"id":"evt_1","created_at":"2026-11-22T12:00:00Z","data":{"object":{"cost":1.10,"created_at":"x"}}}'
    const body = '{"id":"evt_1","timestamp":"2026-11-22T12:00:00Z","data":{"object":{"cost":1.10,"created_at":"x"}}}'
    assert.equal(payloadOf(event), body)
  })

  it('takes nothing within for the event’s own', () => {
    const event = '{"a":"\\"created_at\\":1","created_ats":2,"b":[{"created_at":3}],"c":"created_at","created_at":4}'
    assert.equal(payloadOf(event), event.replace('"created_at":4', '"timestamp":4'))
  })

  it('is none where there is no event', () => {
    for (const text of [
      '',
      '{}',
      'null',
      '"created_at"',
      '["created_at"]',
      '{"data":{"created_at":1}}',
      '{"created_at',
    ]) {
      assert.equal(payloadOf(text), undefined, text)
    }
  })

  it('says the same as the event, whatever that says', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.string(), (first, last, created_at) => {
        const body = payloadOf(JSON.stringify({ first, created_at, last }))
        assert.deepEqual(JSON.parse(body ?? ''), JSON.parse(JSON.stringify({ first, timestamp: created_at, last })))
      }),
    )
  })
})
