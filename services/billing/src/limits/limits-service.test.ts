/** What an account sees of its spending limits, and what gateways hear of them. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { type Client, createClient, createContextValues } from '@connectrpc/connect'
import { createCursors } from '@millhand/api'
import { BillingService } from '@millhand/api/gen/millhand/billing/v1/billing_service_pb.ts'
import { WorkforceUsageService } from '@millhand/api/gen/millhand/billing/v1/workforce_usage_service_pb.ts'
import type { EventLog, LoggedEvent } from '@millhand/eventlog'
import { sqliteEventLog } from '@millhand/eventlog/sqlite'
import { loadPlans } from '@millhand/plans'
import { type ManualClock, manualClock } from '@millhand/process'
import { createDirectTransport, principalKey, serve } from '@millhand/rpc'
import { openSqlite, type SqliteDatabase } from '@millhand/store/sqlite'
import { createLog } from '@millhand/telemetry'
import { createBillingService } from '../billing.ts'
import { endEvent } from '../usage/task-event.fixture.ts'

const DAY_MS = 86_400_000
const NOVEMBER = Date.UTC(2026, 10)

describe('spending limits', () => {
  let folder: string
  let db: SqliteDatabase
  let clock: ManualClock
  let billing: Client<typeof BillingService>
  let workforceUsage: Client<typeof WorkforceUsageService>
  let hear: (...events: LoggedEvent[]) => Promise<void>
  let stop: () => Promise<void>

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millhand-limits-'))
    db = openSqlite({ file: join(folder, 'billing.db') })
    clock = manualClock(NOVEMBER)
    const handlers = new Map<string, (events: readonly LoggedEvent[]) => Promise<void>>()
    const events: Pick<EventLog, 'subscribe'> = {
      async subscribe(group, _topics, handler, signal) {
        handlers.set(group, handler)
        await new Promise(resolve => signal.addEventListener('abort', resolve))
      },
    }
    const service = createBillingService({
      ...{ db, events, clock, plans: loadPlans(), cursors: createCursors(new Uint8Array(32)) },
      ...{ log: createLog({ level: 'error' }), entriesKeptMs: 400 * DAY_MS, graceMs: 3 * DAY_MS },
    })
    const transport = createDirectTransport()
    serve(service.routes, transport)
    billing = createClient(BillingService, transport)
    workforceUsage = createClient(WorkforceUsageService, transport)
    const ending = new AbortController()
    const running = service.run(ending.signal)
    // It reads the prices that were in force before it subscribes.
    while (!handlers.has('billing-compute')) await new Promise(resolve => setImmediate(resolve))
    hear = async (...events) => await handlers.get('billing-compute')?.(events)
    stop = async () => {
      ending.abort()
      await running
      await db.close()
      await rm(folder, { recursive: true })
    }
  })
  afterEach(() => stop())

  const as = (accountId: string, mode: 'live' | 'test' = 'live') => ({
    contextValues: createContextValues().set(principalKey, {
      ...{ accountId, mode, tenant: `${accountId}/${mode}`, scopes: new Set(['*']), keyId: 'key_a' },
      plans: { compute: 'starter', developer: 'free', workforce: 'starter' },
    }),
  })
  const usd = (amount: string) => ({ amount, currency: 'USD' })
  const task = (id: string, cost: string, tenant = 'acct_a/live') =>
    endEvent({ id, tenant, at: clock.now(), computeMs: 1_000, cost })
  const reached = async () =>
    (await billing.listReachedLimits({})).limits.map(({ tenant, spent }) => [tenant, spent?.amount])
  const shown = async (caller: ReturnType<typeof as>) =>
    (await billing.getBilling({}, caller)).limits.map(({ limit, spent }) => [limit?.amount, spent?.amount])
  /** All events of limits so far. */
  async function told(): Promise<unknown[]> {
    const tail = sqliteEventLog(db).tail(['millhand.billing.v1'], 'beginning', AbortSignal.timeout(60_000))
    const events = (await tail[Symbol.asyncIterator]().next()).value ?? []
    return events.map(({ type, value }: LoggedEvent) => [type, JSON.parse(value).data.object.spent.amount])
  }

  it('are told of, refuse, and end with the month; the same events again say nothing more', async () => {
    const a = as('acct_a')
    assert.deepEqual((await billing.updateLimits({}, a)).limits, [])
    await billing.updateLimits({ compute: usd('0.0001') }, a)
    const tasks = ['1', '2', '3'].map(n => task(`task_${n}`, '0.000040'))
    for (const one of [...tasks.slice(0, 2), ...tasks.slice(0, 2)]) await hear(one)
    assert.deepEqual(await told(), [['billing.limit_warning', '0.000080']])
    assert.deepEqual(await reached(), [])
    await hear(...tasks)
    await hear(task('task_4', '0.000040'), task('task_5', '1.000000', 'acct_b/live'))
    assert.deepEqual(await told(), [
      ['billing.limit_warning', '0.000080'],
      ['billing.limit_reached', '0.000120'],
    ])
    assert.deepEqual(await reached(), [['acct_a/live', '0.000120']])
    assert.deepEqual(await shown(a), [['0.000100', '0.000160']])
    assert.deepEqual(await shown(as('acct_b')), [])
    clock.step(30 * DAY_MS)
    assert.deepEqual(await reached(), [])
    assert.deepEqual(await shown(a), [['0.000100', '0.000000']])
  })

  it('that are raised let go on, and one below what is spent is reached at once', async () => {
    const a = as('acct_a')
    await hear(task('task_1', '0.000500'))
    await billing.updateLimits({ compute: usd('0.0002'), workforce: usd('5') }, a)
    assert.deepEqual(await reached(), [['acct_a/live', '0.000500']])
    assert.deepEqual(await told(), [['billing.limit_reached', '0.000500']])
    await billing.updateLimits({ compute: usd('0.0002') }, a)
    assert.equal((await told()).length, 1, 'the same limit is not told of again')
    await billing.updateLimits({ compute: usd('1') }, a)
    assert.deepEqual(await reached(), [])
    await billing.updateLimits({ compute: usd('0.0002') }, a)
    assert.deepEqual([(await reached()).length, (await told()).length], [1, 1], 'nor when it is set again')
    await billing.updateLimits({}, a)
    assert.deepEqual(await shown(a), [])
  })

  it('of the workforce are told to it, account by account', async () => {
    const a = as('acct_a')
    const told = async (caller: ReturnType<typeof as>) =>
      (await workforceUsage.getReachedWorkforceLimit({}, caller)).reached?.limit?.amount
    await billing.updateLimits({ compute: usd('0') }, a)
    assert.equal(await told(a), undefined)
    await billing.updateLimits({ workforce: usd('0') }, a)
    assert.equal(await told(a), '0.000000')
    assert.equal(await told(as('acct_b')), undefined)
    await billing.updateLimits({ workforce: usd('1') }, a)
    assert.equal(await told(a), undefined)
  })

  it('of the sandbox are those of what it would have cost', async () => {
    const test = as('acct_a', 'test')
    await billing.updateLimits({ compute: usd('0.00002') }, test)
    await hear(task('task_1', '0.000000', 'acct_a/test'))
    assert.deepEqual(await reached(), [['acct_a/test', '0.000020']])
    assert.deepEqual(await shown(as('acct_a')), [])
  })

  it('are amounts of US dollars', async () => {
    for (const compute of [usd('-1'), usd('1e3'), usd('0.0000001'), usd(''), { amount: '1', currency: 'EUR' }])
      await assert.rejects(billing.updateLimits({ compute }, as('acct_a')), /`compute\.(amount|currency)` must be/)
  })
})
