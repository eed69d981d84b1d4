import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient, createContextValues, type HandlerContext } from '@connectrpc/connect'
import { codeOf, createIds } from '@millhand/api'
import { QuotaService } from '@millhand/api/gen/millhand/identity/v1/quota_service_pb.ts'
import { manualClock } from '@millhand/process'
import { createDirectTransport, principalKey, serve } from '@millhand/rpc'
import { createDailyQuota } from '../quota/daily-quota-client.ts'
import { tenantPrincipal } from '../tenant-principal.ts'
import type { WorkforceDeps } from '../workforce-deps.ts'
import { batchTasks } from './batch-tasks.ts'

test('a batch needs places of the day of its id, also where it is accepted after midnight', async () => {
  const clock = manualClock(Date.UTC(2026, 10, 26, 23, 59))
  const batchId = createIds({ now: () => clock.now() })('batch')
  await clock.advance(120_000)
  const transport = createDirectTransport()
  serve(router => {
    router.service(QuotaService, {
      getDaily: async ({ day }) => ({ day, limit: 10, used: day === '2026-11-26' ? 9 : 0 }),
    })
  }, transport)
  const dailyQuota = createDailyQuota({ quota: createClient(QuotaService, transport), clock })
  const { requirePlaces } = batchTasks({ clock, dailyQuota } as Partial<WorkforceDeps> as WorkforceDeps)
  const values = createContextValues().set(principalKey, tenantPrincipal({ tenant: 'acct_1/live' }))
  const call = { values } as HandlerContext
  await requirePlaces?.(call, 1, batchId)
  const refused = async () => await requirePlaces?.(call, 2, batchId)
  await assert.rejects(refused, error => codeOf(error) === 'daily_quota_exceeded')
})
