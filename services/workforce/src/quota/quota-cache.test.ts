import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { DailyQuota } from '@millhand/api/gen/millhand/identity/v1/quota_service_pb.ts'
import { type ManualClock, manualClock } from '@millhand/process'
import { tenantPrincipal } from '../tenant-principal.ts'
import { createQuotaCache, type QuotaCache } from './quota-cache.ts'

const MIDNIGHT = Date.UTC(2026, 10, 22)
const caller = tenantPrincipal({ tenant: 'acct_1/live' })

const quota = (used: number): DailyQuota => ({
  $typeName: 'millhand.identity.v1.DailyQuota',
  day: '2026-11-21',
  limit: 100,
  used,
  resetsAt: timestampFromMs(MIDNIGHT),
  ids: [],
})

describe('a day as it is known', () => {
  let clock: ManualClock
  let asked: number
  let answer: () => Promise<DailyQuota>
  let known: QuotaCache
  const used = async () => (await known.get(caller))?.quota.used

  beforeEach(() => {
    clock = manualClock(MIDNIGHT - 60_000)
    asked = 0
    answer = async () => quota(7)
    known = createQuotaCache({
      clock,
      ask() {
        asked++
        return answer()
      },
    })
  })

  it('is asked for once a second, and once for all who wait', async () => {
    assert.deepEqual(await Promise.all([used(), used(), used()]), [7, 7, 7])
    await clock.advance(999)
    assert.equal(await used(), 7)
    assert.equal(asked, 1)
    await clock.advance(1)
    await used()
    assert.equal(asked, 2)
  })

  it('is as it was heard of last', async () => {
    known.heard(caller, quota(8))
    assert.equal(await used(), 8)
    assert.equal(asked, 0)
  })

  it('stays as it was while nobody can tell, who is asked once a second', async () => {
    known.heard(caller, quota(8))
    await clock.advance(1_000)
    answer = () => Promise.reject(new Error('away'))
    for (let n = 0; n < 5; n++) assert.equal(await used(), 8)
    assert.equal(asked, 1)
  })

  it('is not known where nobody can tell, and keeps nobody waiting for long', async () => {
    answer = () => new Promise(() => {})
    const waiting = used()
    await clock.advance(250)
    assert.equal(await waiting, undefined)
  })

  it('ends at midnight', async () => {
    known.heard(caller, quota(8))
    await clock.advance(60_000)
    assert.equal(await used(), undefined)
    assert.equal(asked, 1)
  })
})
