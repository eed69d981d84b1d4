import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { WebhookRecord } from '../webhook.ts'
import { aWebhook, noon } from './delivery.fixture.ts'
import { afterTry, type Outcome } from './endpoint-disabling.ts'

const hour = 3_600_000
const day = 24 * hour

/** The endpoint after tries at these times. */
function after(tries: readonly (readonly [Outcome, number])[]): WebhookRecord {
  let webhook = aWebhook('wh_1')
  for (const [outcome, ms] of tries) webhook = afterTry(webhook, outcome, noon + ms) ?? webhook
  return webhook
}
const failing = (...days: number[]) => days.map(n => ['failed', n * day] as const)

describe('the health of an endpoint', () => {
  it('has failed since the first failure, and works since the first success', () => {
    const failed = after([
      ['failed', 0],
      ['failed', hour],
      ['failed', 5 * hour],
    ])
    assert.deepEqual([failed.failing_since, failed.status, failed.resource_version], [noon, 'enabled', 2])
    const works = afterTry(failed, 'delivered', noon + 6 * hour)
    assert.deepEqual([works?.failing_since, works?.failed_at, works?.resource_version], [undefined, undefined, 3])
  })

  it('is given up by a try that fails five days later, and not a moment before', () => {
    const before = after([...failing(0, 1, 2, 3, 4), ['failed', 5 * day - 1]])
    assert.equal(before.status, 'enabled')
    const given = afterTry(before, 'failed', noon + 5 * day)
    assert.deepEqual(
      [given?.status, given?.disabled_reason, given?.disabled_at, given?.failing_since],
      ['disabled', 'failing', noon + 5 * day, noon],
    )
  })

  it('is counted anew where nothing was tried for two days', () => {
    const webhook = after(failing(0, 1, 3.5, 4, 5, 6))
    assert.deepEqual([webhook.status, webhook.failing_since], ['enabled', noon + 3.5 * day])
    assert.equal(after(failing(0, 1, 3.5, 4, 5, 6, 7, 8.5)).status, 'disabled')
  })

  it('is given up at once where it says that it is gone', () => {
    const { status, disabled_reason } = after([['gone', 5]])
    assert.deepEqual([status, disabled_reason], ['disabled', 'gone'])
  })

  it('is written at most once an hour while it fails, and never while it works', () => {
    const failed = after([['failed', 0]])
    assert.equal(afterTry(failed, 'failed', noon + hour - 1), undefined)
    assert.ok(afterTry(failed, 'failed', noon + hour))
    assert.equal(afterTry(aWebhook('wh_1'), 'delivered', noon), undefined)
  })

  it('is nothing that a late answer changes once it is disabled or deleted', () => {
    for (const status of ['disabled', 'deleted'] as const) {
      for (const outcome of ['delivered', 'failed', 'gone'] as const) {
        assert.equal(afterTry(aWebhook('wh_1', { status, failing_since: 1 }), outcome, noon), undefined)
      }
    }
  })

  it('disables nothing while the clock is behind', () => {
    assert.equal(after([...failing(0, 1), ['failed', -3 * day], ['failed', -2 * day]]).status, 'enabled')
  })
})
