import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { createClient, createContextValues, type HandlerContext, type Transport } from '@connectrpc/connect'
import { codeOf, createIds } from '@millhand/api'
import { BillingFamily } from '@millhand/api/gen/millhand/billing/v1/billing_pb.ts'
import { WorkforceUsageService } from '@millhand/api/gen/millhand/billing/v1/workforce_usage_service_pb.ts'
import { QuotaService } from '@millhand/api/gen/millhand/identity/v1/quota_service_pb.ts'
import { type ManualClock, manualClock } from '@millhand/process'
import { createDirectTransport, principalKey, serve } from '@millhand/rpc'
import { createLog } from '@millhand/telemetry'
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
    router.service(WorkforceUsageService, { getReachedWorkforceLimit: async () => ({}) })
  }, transport)
  const { requireRoom, call } = tasksOf(transport, clock)
  await requireRoom?.(call, 1, batchId)
  const refused = async () => await requireRoom?.(call, 2, batchId)
  await assert.rejects(refused, error => codeOf(error) === 'daily_quota_exceeded')
})

test('a batch is held to the spending limit of the workforce, as far as billing is there to tell', async () => {
  const clock = manualClock(Date.UTC(2026, 10, 26))
  const batchId = createIds({ now: () => clock.now() })('batch')
  const money = (amount: string) => ({ amount, currency: 'USD' })
  let answer = async (): Promise<{ reached?: object }> => ({})
  const transport = createDirectTransport()
  serve(router => {
    router.service(QuotaService, { getDaily: async ({ day }) => ({ day }) })
    router.service(WorkforceUsageService, { getReachedWorkforceLimit: () => answer() })
  }, transport)
  const { requireRoom, call } = tasksOf(transport, clock)
  await requireRoom?.(call, 1, batchId)
  const resetsAt = timestampFromMs(Date.UTC(2026, 11))
  const reached = { family: BillingFamily.WORKFORCE, limit: money('5.00'), spent: money('5.10'), resetsAt }
  answer = async () => ({ reached })
  const refused = async () => await requireRoom?.(call, 1, batchId)
  await assert.rejects(refused, error => {
    assert.match(String(error), /workforce is reached: 5\.10 of 5\.00 USD are spent.*2026-12-01T00:00:00\.000Z/)
    return codeOf(error) === 'spending_limit_reached'
  })
  answer = async () => {
    throw new Error('away')
  }
  await requireRoom?.(call, 1, batchId)
})

function tasksOf(transport: Transport, clock: ManualClock) {
  const dailyQuota = createDailyQuota({ quota: createClient(QuotaService, transport), clock })
  const usage = createClient(WorkforceUsageService, transport)
  const log = createLog({ level: 'error' })
  const { requireRoom } = batchTasks({ clock, dailyQuota, usage, log } as Partial<WorkforceDeps> as WorkforceDeps)
  const values = createContextValues().set(principalKey, tenantPrincipal({ tenant: 'acct_1/live' }))
  return { requireRoom, call: { values, signal: new AbortController().signal } as HandlerContext }
}
