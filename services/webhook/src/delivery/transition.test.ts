import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isRefusal, noDueTime } from '@millhand/lease'
import fc from 'fast-check'
import type { Attempt, DeliveryRecord, DeliveryStatus } from '../delivery.ts'
import { aDelivery, noon } from './delivery.fixture.ts'
import { type DeliveryCause, deliveryTransition } from './transition.ts'

const transition = deliveryTransition({ random: () => 0.5 })
const held = { lease_id: 'lease', attempt: 3 }
const answered = (status: number): Attempt => ({ at: noon, ms: 5, status, response: '' })
const report = { compute_ms: 0, group_version: '', engine_kind: '', engine_name: '', provider: '' }

const inStatus: Record<DeliveryStatus, DeliveryRecord> = {
  queued: aDelivery(),
  waiting: aDelivery({ status: 'waiting', due_at: noon, tries: 1, tried: 1 }),
  running: aDelivery({ status: 'running', ...held, due_at: 0 }),
  succeeded: aDelivery({ status: 'succeeded', finished_at: noon, tries: 1, tried: 1 }),
  failed: aDelivery({ status: 'failed', finished_at: noon, tries: 12, tried: 12 }),
  cancelled: aDelivery({ status: 'cancelled', finished_at: noon }),
}
const causes = {
  claimed: { kind: 'claimed', lease_id: 'next' },
  delivered: { kind: 'tried', held, attempt: answered(204) },
  failed: { kind: 'tried', held, attempt: answered(500) },
  'no answer': { kind: 'tried', held, attempt: { at: noon, ms: 5, error: 'timeout', response: '' } },
  redirected: { kind: 'tried', held, attempt: answered(302) },
  gone: { kind: 'tried', held, attempt: answered(410) },
  'not tried': { kind: 'not_tried', held, reason: 'no_sockets' },
  broke: { kind: 'broke', held, attempt: { at: noon, ms: 5, error: 'internal_error', response: '' } },
  dropped: { kind: 'dropped', held },
  spoiled: { kind: 'spoiled', held, attempt: { at: noon, ms: 0, error: 'event_missing', response: '' } },
  'lease ended': { kind: 'lease_ended', held },
  returned: { kind: 'finished', held, outcome: { kind: 'returned' }, report },
  due: { kind: 'due' },
  retried: { kind: 'retried' },
  replayed: { kind: 'replayed' },
  backoff: { kind: 'backoff_ended' },
} as const satisfies Record<string, DeliveryCause>

/** From each status, to what; whatever is not here is refused. */
const table: Partial<Record<keyof typeof causes, Partial<Record<DeliveryStatus, DeliveryStatus>>>> = {
  claimed: { queued: 'running' },
  delivered: { running: 'succeeded' },
  failed: { running: 'waiting' },
  'no answer': { running: 'waiting' },
  redirected: { running: 'waiting' },
  gone: { running: 'failed' },
  'not tried': { running: 'waiting' },
  broke: { running: 'waiting' },
  dropped: { running: 'cancelled' },
  spoiled: { running: 'failed' },
  'lease ended': { running: 'queued' },
  returned: { running: 'queued' },
  due: { waiting: 'queued' },
  retried: { queued: 'waiting', waiting: 'waiting', succeeded: 'waiting', failed: 'waiting', cancelled: 'waiting' },
  replayed: { succeeded: 'queued', failed: 'queued', cancelled: 'queued' },
}

const ends: readonly DeliveryStatus[] = ['succeeded', 'failed', 'cancelled']

describe('the life of a delivery', () => {
  for (const [name, cause] of Object.entries(causes)) {
    for (const [status, before] of Object.entries(inStatus) as [DeliveryStatus, DeliveryRecord][]) {
      const to = table[name as keyof typeof causes]?.[status]
      it(`${status}, ${name}: ${to ?? 'refused'}`, () => {
        const after = transition(before, cause, noon)
        assert.equal(isRefusal(after) ? undefined : after.status, to)
        if (isRefusal(after)) return
        assert.equal(after.resource_version, before.resource_version + 1)
        assert.equal(after.lease_id !== '', after.status === 'running')
        assert.equal(after.finished_at !== undefined, ends.includes(after.status))
        assert.equal(after.due_at === noDueTime, !['waiting', 'running'].includes(after.status))
      })
    }
  }

  it('goes through its eleven waits, to the second, and then has failed', () => {
    let [delivery, now] = [aDelivery(), noon]
    const waited: number[] = []
    while (delivery.status === 'queued') {
      delivery = apply(delivery, { kind: 'claimed', lease_id: 'l' }, now)
      delivery = apply(delivery, { kind: 'tried', held: delivery, attempt: answered(500) }, now)
      if (delivery.status !== 'waiting') break
      assert.ok(isRefusal(transition(delivery, { kind: 'due' }, delivery.due_at - 1)))
      waited.push((delivery.due_at - now) / 1000)
      now = delivery.due_at
      delivery = apply(delivery, { kind: 'due' }, now)
      assert.equal(delivery.rank, 1)
    }
    const [minute, hour] = [60, 3600]
    const longer = [2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour]
    assert.deepEqual(waited, [5, 30, 2 * minute, 5 * minute, 30 * minute, ...longer])
    assert.deepEqual([delivery.status, delivery.tries, delivery.attempts.length], ['failed', 12, 12])
  })

  it('ends well from 200 to 299, and with nothing beside', () => {
    const after = [199, 200, 299, 300].map(status => ({ kind: 'tried', held, attempt: answered(status) }) as const)
    assert.deepEqual(
      after.map(cause => apply(inStatus.running, cause, noon).status),
      ['waiting', 'succeeded', 'succeeded', 'waiting'],
    )
  })

  const running = (delivery: DeliveryRecord): DeliveryRecord => ({ ...delivery, status: 'running', ...held })

  it('that can’t be tried waits ever longer, a minute at most, for ever, and none of it is a try', () => {
    let delivery = aDelivery()
    const waited: number[] = []
    for (let n = 0; n < 100; n++) {
      delivery = apply(running(delivery), causes['not tried'], noon)
      waited.push(delivery.due_at - noon)
    }
    assert.deepEqual(waited.slice(0, 7), [750, 1_500, 3_000, 6_000, 12_000, 24_000, 45_000])
    assert.equal(waited.at(-1), 45_000)
    assert.deepEqual([delivery.tries, delivery.tried, delivery.attempts], [0, 0, []])
    assert.equal(apply(running(delivery), causes.failed, noon).put_offs, 0)
  })

  it('that can’t be tried, nobody knows why, is tried by the schedule from the third time on, and then has failed', () => {
    let delivery = aDelivery()
    const course: string[] = []
    while (delivery.status !== 'failed') {
      delivery = apply(running(delivery), causes.broke, noon)
      course.push(`${delivery.tries} ${delivery.due_at - noon}`)
    }
    assert.deepEqual(course.slice(0, 5), ['0 750', '0 1500', '1 5000', '2 30000', '3 120000'])
    assert.deepEqual([course.length, delivery.tried, delivery.attempts[0]?.error], [2 + 12, 12, 'internal_error'])
    assert.equal(apply(delivery, { kind: 'retried' }, noon).put_offs, 0)
  })

  it('waits as long as it is asked to, where that is longer', () => {
    const asked = (retryAfterMs: number) =>
      apply(inStatus.running, { kind: 'tried', held, attempt: answered(503), retryAfterMs }, noon).due_at - noon
    assert.deepEqual([asked(0), asked(4_000), asked(90_000)], [5_000, 5_000, 90_000])
  })

  it('begins anew by a retry, at the front, and by a replay, behind all; the tries before stay in its log', () => {
    const failed = { ...inStatus.failed, attempts: [answered(500)] }
    const retried = apply(failed, { kind: 'retried', operation: 'op' }, noon + 5)
    assert.deepEqual([retried.rank, retried.tries, retried.tried, retried.due_at], [0, 0, 12, noon + 5])
    assert.equal(retried.attempts.length, 1)
    const replayed = apply(failed, { kind: 'replayed' }, noon)
    assert.deepEqual([replayed.rank, replayed.tries, replayed.due_at], [2, 0, noDueTime])
    const again = transition({ ...retried, status: 'failed' }, { kind: 'retried', operation: 'op' }, noon)
    assert.deepEqual(again, { refused: 'repeated' })
  })

  it('is given up by whoever holds no live lease', () => {
    for (const stale of [
      { lease_id: 'other', attempt: 3 },
      { lease_id: 'lease', attempt: 2 },
    ]) {
      assert.deepEqual(transition(inStatus.running, { ...causes['not tried'], held: stale }, noon), {
        refused: 'stale_lease',
      })
    }
  })

  it('keeps its newest 20 tries', () => {
    const attempts = Array.from({ length: 20 }, (_, n) => answered(500 + n))
    const after = apply({ ...inStatus.running, attempts }, { kind: 'tried', held, attempt: answered(599) }, noon)
    assert.deepEqual([after.attempts.length, after.attempts[0]?.status, after.attempts[19]?.status], [20, 501, 599])
  })

  it('leaves an end only by a retry or a replay, whatever happens', () => {
    const anyCause = fc.constantFrom(...Object.values<DeliveryCause>(causes))
    fc.assert(
      fc.property(
        fc.array(fc.tuple(anyCause, fc.integer({ min: -90_000_000, max: 90_000_000 })), { maxLength: 60 }),
        steps => {
          let [delivery, now] = [aDelivery(), noon]
          for (const [cause, ms] of steps) {
            now += ms // The clock may step back.
            const live = 'held' in cause ? { ...cause, held: delivery } : cause
            const after = transition(delivery, live, now)
            if (isRefusal(after)) continue
            if (ends.includes(delivery.status)) assert.ok(['retried', 'replayed'].includes(cause.kind), cause.kind)
            assert.ok(after.attempts.length <= 20 && after.tries <= 12)
            delivery = after
          }
        },
      ),
    )
  })
})

function apply(delivery: DeliveryRecord, cause: DeliveryCause, now: number): DeliveryRecord {
  const after = transition(delivery, cause, now)
  if (isRefusal(after)) assert.fail(after.refused)
  return after
}
