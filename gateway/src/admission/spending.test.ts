import assert from 'node:assert/strict'
import { it } from 'node:test'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { codeOf, metadataOf } from '@millhand/api'
import { BillingFamily } from '@millhand/api/gen/millhand/billing/v1/billing_pb.ts'
import type { ListReachedLimitsResponse } from '@millhand/api/gen/millhand/billing/v1/spending_limit_pb.ts'
import { manualClock } from '@millhand/process'
import { createLog } from '@millhand/telemetry'
import { createSpending, type SpendingDeps } from './spending.ts'

const noon = Date.UTC(2026, 10, 21, 12)
const end = Date.UTC(2026, 11)
const money = (amount: string) => ({ $typeName: 'millhand.type.v1.Money' as const, amount, currency: 'USD' })

it('creates of a family are refused while its limit is reached, also while billing is away', async () => {
  const clock = manualClock(noon)
  let answer: () => Promise<ListReachedLimitsResponse>
  const billing = { listReachedLimits: () => answer() } as unknown as SpendingDeps['billing']
  const spending = createSpending({ billing, clock, log: createLog({ level: 'error' }) })
  const reachedBy = (...tenants: string[]) => {
    answer = async () => ({
      $typeName: 'millhand.billing.v1.ListReachedLimitsResponse',
      limits: tenants.map(tenant => ({
        $typeName: 'millhand.billing.v1.ReachedLimit',
        ...{ tenant, family: BillingFamily.COMPUTE, limit: money('5.000000'), spent: money('5.100000') },
        resetsAt: timestampFromMs(end),
      })),
    })
  }
  const codeFor = (tenant: string, family = 'compute') => {
    try {
      spending.require({ tenant }, family)
      return 'passes'
    } catch (error) {
      assert.match(String(error), /5\.100000 of 5\.000000 USD are spent.*2026-12-01T00:00:00\.000Z/)
      assert.equal(metadataOf(error).family, family)
      return codeOf(error)
    }
  }

  assert.equal(codeFor('acct_a/live'), 'passes', 'before billing was asked')
  reachedBy('acct_a/live')
  const ending = new AbortController()
  const running = spending.run(ending.signal)
  await clock.advance(1_000)
  assert.equal(codeFor('acct_a/live'), 'spending_limit_reached')
  for (const other of ['acct_a/test', 'acct_b/live']) assert.equal(codeFor(other), 'passes')
  assert.equal(codeFor('acct_a/live', 'workforce'), 'passes')

  answer = async () => {
    throw new Error('away')
  }
  await clock.advance(2_000)
  assert.equal(codeFor('acct_a/live'), 'spending_limit_reached')
  reachedBy()
  await clock.advance(2_000)
  assert.equal(codeFor('acct_a/live'), 'passes', 'the limit was raised')
  reachedBy('acct_a/live')
  await clock.advance(2_000)
  clock.step(end - clock.now())
  assert.equal(codeFor('acct_a/live'), 'passes', 'a new month')
  ending.abort()
  await running
})
