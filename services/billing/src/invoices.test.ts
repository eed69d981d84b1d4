/** Months close: what an account sees of its invoices, and nobody else. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { type Client, createClient, createContextValues } from '@connectrpc/connect'
import { createCursors } from '@millhand/api'
import { BillingService } from '@millhand/api/gen/millhand/billing/v1/billing_service_pb.ts'
import type { EventLog, LoggedEvent } from '@millhand/eventlog'
import { sqliteEventLog } from '@millhand/eventlog/sqlite'
import { loadPlans } from '@millhand/plans'
import { type ManualClock, manualClock } from '@millhand/process'
import { createDirectTransport, principalKey, serve } from '@millhand/rpc'
import { openSqlite, type SqliteDatabase } from '@millhand/store/sqlite'
import { createLog } from '@millhand/telemetry'
import { createBillingService } from './billing.ts'
import { endEvent } from './usage/task-event.fixture.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const NOVEMBER = Date.UTC(2026, 10)

describe('invoices', () => {
  let folder: string
  let db: SqliteDatabase
  let clock: ManualClock
  let billing: Client<typeof BillingService>
  let hear: (group: string, ...events: LoggedEvent[]) => Promise<void>
  let stop: () => Promise<void>

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millhand-invoices-'))
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
      ...{ log: createLog({ level: 'error' }), entriesKeptMs: 400 * DAY_MS, graceMs: 72 * HOUR_MS },
    })
    const transport = createDirectTransport()
    serve(service.routes, transport)
    billing = createClient(BillingService, transport)
    const ending = new AbortController()
    const running = service.run(ending.signal)
    hear = async (group, ...events) => await handlers.get(group)?.(events)
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
      plans: { compute: 'starter', developer: 'pro', workforce: 'starter' },
    }),
  })

  const made = (account_id: string, at: number): LoggedEvent => {
    const object = { id: account_id, compute: 'starter', developer: 'pro', workforce: 'none' }
    const [id, type] = [`evt_${account_id}`, 'account.created']
    const value = JSON.stringify({ id, type, account_id, mode: 'live', resource_version: 1, data: { object } })
    return { topic: 'millhand.identity.v1', key: account_id, id, type, time: at, value, position: id }
  }

  const task = (id: string, at: number, tenant = 'acct_a/live') =>
    endEvent({ id, tenant, at, computeMs: 1_500, cost: '0.000030' })

  /** The calendar goes on, and what is due then is done. */
  async function pass(ms: number): Promise<void> {
    clock.step(ms)
    await clock.advance(60_000)
  }

  /** The invoices, once there are so many. */
  async function invoiced(account: string, count: number) {
    for (const deadline = performance.now() + 120_000; ; await new Promise(resolve => setTimeout(resolve, 20))) {
      const found = await invoicesOf(account)
      if (found.length === count) return found
      assert.ok(performance.now() < deadline, `${found.length} invoices`)
    }
  }

  const invoicesOf = async (account: string) => (await billing.listInvoices({}, as(account))).data

  it('a month closes after its grace time, with its event, and never changes', async () => {
    await hear('billing-accounts', made('acct_a', NOVEMBER))
    await hear('billing-compute', task('task_1', NOVEMBER + DAY_MS))
    await pass(33 * DAY_MS - 120_000)
    assert.deepEqual(await invoicesOf('acct_a'), [])
    await pass(120_000)
    const [listed] = await invoiced('acct_a', 1)
    assert.ok(listed)
    assert.deepEqual(
      [listed.number, listed.status, listed.lines, listed.total?.amount, listed.amountDue?.amount],
      [1, 2, [], '49.000030', '49.000000'],
    )
    const invoice = await billing.getInvoice({ id: listed.id }, as('acct_a'))
    assert.deepEqual(
      invoice.lines
        .filter(({ amount }) => amount?.amount !== '0.000000')
        .map(line => [line.description, line.amount?.amount]),
      [
        ['compute of digits on cpu', '0.000030'],
        ['developer plan pro', '49.000000'],
      ],
    )
    const tail = sqliteEventLog(db).tail(['millhand.billing.v1'], 'beginning', AbortSignal.timeout(60_000))
    const [event, ...others] = (await tail[Symbol.asyncIterator]().next()).value ?? []
    assert.deepEqual(
      [event.type, others, JSON.parse(event.value).data.object.id],
      ['invoice.finalized', [], invoice.id],
    )

    await hear('billing-compute', task('task_1', NOVEMBER + DAY_MS), task('task_2', NOVEMBER + 2 * DAY_MS))
    assert.deepEqual(await billing.getInvoice({ id: listed.id }, as('acct_a')), invoice)
    const bill = await billing.getBilling({}, as('acct_a'))
    const [late] = bill.lines.filter(({ description }) => description.startsWith('Late'))
    assert.deepEqual(
      [late?.description, late?.amount?.amount],
      ['Late: compute of digits on cpu, 2026-11-03', '0.000030'],
    )
    assert.equal(bill.invoices[0]?.id, listed.id)
    const { data } = await billing.listLineEntries({ id: String(late?.id) }, as('acct_a'))
    assert.deepEqual(
      data.map(({ taskId }) => taskId),
      ['task_2'],
    )
    const billed = invoice.lines.find(({ model }) => model === 'digits')
    const before = await billing.listLineEntries({ id: String(billed?.id) }, as('acct_a'))
    assert.deepEqual(
      before.data.map(({ taskId }) => taskId),
      ['task_1'],
    )

    await pass(31 * DAY_MS)
    assert.deepEqual(
      (await invoiced('acct_a', 2)).map(({ number, total }) => [number, total?.amount]),
      [
        [2, '49.000030'],
        [1, '49.000030'],
      ],
    )
  })

  it('are nobody else’s, and the sandbox has none', async () => {
    await hear('billing-accounts', made('acct_a', NOVEMBER), made('acct_b', NOVEMBER))
    await hear('billing-compute', task('task_1', NOVEMBER + DAY_MS), task('task_2', NOVEMBER + DAY_MS, 'acct_a/test'))
    await pass(34 * DAY_MS)
    const [[a], [b]] = [await invoiced('acct_a', 1), await invoiced('acct_b', 1)]
    assert.deepEqual([a?.number, b?.number, b?.total?.amount], [1, 1, '49.000000'])
    const line = (await billing.getInvoice({ id: String(a?.id) }, as('acct_a'))).lines[0]
    for (const stranger of [as('acct_b'), as('acct_a', 'test')]) {
      await assert.rejects(billing.getInvoice({ id: String(a?.id) }, stranger), /There is no invoice/)
      await assert.rejects(billing.listLineEntries({ id: String(line?.id) }, stranger), /There is no such line/)
    }
    assert.deepEqual((await billing.listInvoices({}, as('acct_a', 'test'))).data, [])
  })

  it('a change of plans that is heard of late is corrected on the next', async () => {
    await hear('billing-accounts', made('acct_a', NOVEMBER))
    await pass(34 * DAY_MS)
    await invoiced('acct_a', 1)
    const later = made('acct_a', NOVEMBER + 15 * DAY_MS)
    const value = later.value.replace('"resource_version":1', '"resource_version":2').replace('"pro"', '"free"')
    await hear('billing-accounts', { ...later, id: 'evt_2', value })
    const bill = await billing.getBilling({}, as('acct_a'))
    const [correction] = bill.lines.filter(({ kind }) => kind === 8)
    assert.deepEqual(
      [correction?.description, correction?.amount?.amount],
      ['Correction: developer plan, 2026-11', '-24.500000'],
    )
    await pass(31 * DAY_MS)
    assert.deepEqual(
      (await invoiced('acct_a', 2)).map(({ total }) => total?.amount),
      ['-24.500000', '49.000000'],
    )
  })
})
