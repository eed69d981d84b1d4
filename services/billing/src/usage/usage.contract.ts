/** What usage promises, on a store: what is counted when, told by what, and for how long. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { loadPlans } from '@millhand/plans'
import { manualClock } from '@millhand/process'
import type { Collection, Draft } from '@millhand/store'
import { createLog } from '@millhand/telemetry'
import type { BillingOptions } from '../billing.ts'
import { type CreditRecord, creditsSpec } from '../ledger/credit.ts'
import { type InvoiceRecord, invoicesSpec } from '../ledger/invoice.ts'
import { type LedgerRecord, ledgersSpec } from '../ledger/ledger.ts'
import { createPosting } from '../ledger/posting.ts'
import { type PaymentRecord, paymentsSpec } from '../payment/payment.ts'
import { createHourlyRollup } from './hourly-rollup.ts'
import { type EndedTask, endEvent } from './task-event.fixture.ts'
import { computeEntry } from './task-event.ts'
import { consumeTaskEvents } from './usage-consumer.ts'
import { type EntryRecord, entriesSpec } from './usage-entry.ts'
import { HOUR_MS, type HourRecord, hourId, hoursSpec } from './usage-hour.ts'
import { type GroupBy, readUsage } from './usage-query.ts'

export interface OpenedStore {
  readonly db: BillingOptions['db']
  close(): Promise<void>
}

const { prices } = loadPlans()
const KEPT_MS = 35 * 86_400_000
const FIRST = Date.UTC(2026, 10, 21, 7)

export function describeUsage(name: string, open: () => Promise<OpenedStore>, options: { skip?: string | false } = {}) {
  describe(`${name}: usage`, options, () => {
    const signal = new AbortController().signal
    let opened: OpenedStore
    let entries: Collection<EntryRecord, 'by_end' | 'by_line'>
    let ledgers: Collection<LedgerRecord, 'due'>
    let invoices: Collection<InvoiceRecord, 'by_month'>
    let credits: Collection<CreditRecord>
    let payments: Collection<PaymentRecord, 'due'>
    let hours: Collection<HourRecord, 'due'>
    let lines: string[]
    let given: ReturnType<typeof service>
    let tests = 0

    function service() {
      const tenant = `acct_${++tests}/live`
      const clock = manualClock(FIRST)
      const log = createLog({ level: 'info', write: line => void lines.push(line) })
      const summing = createHourlyRollup({ entries, hours, clock, log, keptMs: KEPT_MS })
      const posting = createPosting({
        chargedFrom: async () => 0,
        ...{ ledgers, invoices, payments, credits, prices, clock, graceMs: 72 * HOUR_MS, keptMs: KEPT_MS },
        usage: { compute: { entries, hours }, workforce: { entries, hours }, instances: { entries, hours } },
      })
      const post = (drafts: readonly Draft<EntryRecord>[]) => posting.post('compute', drafts)
      const count = consumeTaskEvents({
        ...{ entries, hours, clock, log, post },
        ...{ entryOf: computeEntry, onCounted: summing.counted },
      })
      return {
        tenant,
        clock,
        count: (...tasks: EndedTask[]) => count(tasks.map(task => endEvent({ tenant, ...task }))),
        sum: () => summing.pass(signal),
        read: (groupBy?: GroupBy, of = tenant) =>
          readUsage({ entries, hours }, { tenant: of, start: FIRST, end: FIRST + 48 * HOUR_MS, groupBy }),
        hour: (at = FIRST) => hours.get(tenant, hourId(at)),
        post,
        entries: () => entries.find('by_end', { equals: [tenant], limit: 10_000 }),
      }
    }

    before(async () => {
      opened = await open()
      entries = opened.db.collection<EntryRecord, 'by_end' | 'by_line'>(entriesSpec)
      ledgers = opened.db.collection<LedgerRecord, 'due'>(ledgersSpec)
      invoices = opened.db.collection<InvoiceRecord, 'by_month'>(invoicesSpec)
      credits = opened.db.collection<CreditRecord>(creditsSpec)
      payments = opened.db.collection<PaymentRecord, 'due'>(paymentsSpec)
      hours = opened.db.collection<HourRecord, 'due'>(hoursSpec)
    })
    after(() => opened.close())
    beforeEach(() => {
      lines = []
      given = service()
    })

    const tasks: EndedTask[] = [
      { id: 'task_1', at: FIRST, computeMs: 1500, tokens: [10, 20] },
      { id: 'task_2', at: FIRST + 1, ending: 'failed', model: 'a', computeMs: 500, gpuType: 'h100', cost: '1.250000' },
      { id: 'task_3', at: FIRST + 25 * HOUR_MS, ending: 'cancelled', type: 'batch' },
      { id: 'task_4', at: FIRST + 25 * HOUR_MS, ending: 'expired' },
    ]
    const total = {
      succeeded: 1,
      failed: 1,
      cancelled: 1,
      expired: 1,
      compute_ms: 2000,
      input_tokens: 10,
      output_tokens: 20,
      items: 2,
      cost_micros: 1_250_020,
    }

    it('is told in one sum, and by day, model, type and GPU type, before it is summed and after', async () => {
      await given.count(...tasks)
      for (let round = 0; round < 2; round++) {
        assert.deepEqual((await given.read()).total, total)
        const keys = async (groupBy: GroupBy) => {
          const { groups, total: all } = await given.read(groupBy)
          assert.deepEqual(all, total)
          return groups.map(([key, { succeeded, failed, cancelled, expired, compute_ms }]) => [
            key,
            succeeded + failed + cancelled + expired,
            compute_ms,
          ])
        }
        const byDay = [
          ['2026-11-21', 2, 2000],
          ['2026-11-22', 2, 0],
        ]
        const byModel = [
          ['a', 1, 500],
          ['digits', 3, 1500],
        ]
        const byType = [
          ['batch', 1, 0],
          ['inference', 3, 2000],
        ]
        const byGpu = [
          ['cpu', 1, 1500],
          ['h100', 1, 500],
          ['none', 2, 0],
        ]
        assert.deepEqual(await keys('day'), byDay)
        assert.deepEqual(await keys('model'), byModel)
        assert.deepEqual(await keys('type'), byType)
        assert.deepEqual(await keys('gpu_type'), byGpu)
        await given.clock.advance(49 * HOUR_MS)
        await given.sum()
        assert.equal((await given.hour())?.state, 'summed')
      }
    })

    it('counts what comes again once', async () => {
      await given.count(...tasks, ...tasks)
      await Promise.all([given.count(...tasks), given.count(...tasks.toReversed())])
      assert.deepEqual((await given.read()).total, total)
    })

    it('is of one account and mode', async () => {
      await given.count(...tasks)
      const nothing = Object.fromEntries(Object.keys(total).map(field => [field, 0]))
      for (const other of [given.tenant.replace('live', 'test'), `${given.tenant}x`, `acct_0${given.tenant}`])
        assert.deepEqual((await given.read('day', other)).total, nothing)
    })

    it('takes no more and no less than the hours that were asked for', async () => {
      const ends = [FIRST - 1, FIRST, FIRST + HOUR_MS - 1, FIRST + HOUR_MS]
      await given.count(...ends.map((at, n) => ({ id: `task_${n}`, at })))
      const asked = { tenant: given.tenant, start: FIRST, end: FIRST + HOUR_MS, groupBy: undefined }
      assert.equal((await readUsage({ entries, hours }, asked)).total.succeeded, 2)
      await given.clock.advance(10 * HOUR_MS)
      await given.sum()
      assert.equal((await readUsage({ entries, hours }, asked)).total.succeeded, 2)
    })

    it('makes a sum anew for an entry that comes late', async () => {
      await given.count({ id: 'task_1', at: FIRST + 5 })
      await given.clock.advance(2 * HOUR_MS)
      await given.sum()
      const before = await given.hour()
      assert.deepEqual([before?.state, before?.lines[0]?.succeeded], ['summed', 1])
      await given.count({ id: 'task_2', at: FIRST + 5 })
      assert.equal((await given.hour())?.state, 'open')
      assert.equal((await given.read()).total.succeeded, 2)
      await given.clock.advance(HOUR_MS)
      await given.sum()
      const after = await given.hour()
      assert.deepEqual([after?.state, after?.lines[0]?.succeeded], ['summed', 2])
    })

    it('does not lose an entry that comes while its hour is being summed', async () => {
      await given.count({ id: 'task_1', at: FIRST })
      await given.clock.advance(2 * HOUR_MS)
      // Between the announcement and the sum.
      const find = entries.find.bind(entries)
      let isFirst = true
      entries.find = async (...query) => {
        const found = await find(...query)
        if (isFirst) {
          isFirst = false
          await given.count({ id: 'task_2', at: FIRST })
        }
        return found
      }
      try {
        await given.sum()
      } finally {
        entries.find = find
      }
      assert.equal((await given.read()).total.succeeded, 2)
      await given.clock.advance(HOUR_MS)
      await given.sum()
      assert.equal((await given.hour())?.lines[0]?.succeeded, 2)
    })

    it('sums the hour that goes on in parts, so that a query reads few entries', async () => {
      const some = (from: number, count: number, at: number) =>
        Array.from({ length: count }, (_, n) => ({ id: `task_${from + n}`, at: at + (n % 7) }))
      await given.count(...some(0, 1_100, FIRST))
      await given.sum()
      assert.equal((await given.hour())?.lines.length, 0, 'they have not settled')
      await given.clock.advance(10 * 60_000)
      await given.count(...some(1_100, 1_050, FIRST + 9.5 * 60_000))
      await given.sum()
      const hour = await given.hour()
      assert.deepEqual([hour?.state, hour?.lines[0]?.succeeded], ['open', 1_100])
      assert.equal((await given.read()).total.succeeded, 2_150)
      await given.clock.advance(HOUR_MS)
      await given.sum()
      assert.equal((await given.hour())?.lines[0]?.succeeded, 2_150)
    })

    it('removes entries when they have been summed long enough, and keeps the sums; what comes then is not counted', async () => {
      await given.count(...tasks)
      await given.clock.advance(50 * HOUR_MS)
      await given.sum()
      await given.clock.advance(KEPT_MS - 1)
      await given.sum()
      assert.equal((await given.entries()).length, 4)
      await given.clock.advance(1)
      await given.sum()
      assert.deepEqual(await given.entries(), [])
      assert.equal((await given.hour())?.state, 'closed')
      assert.deepEqual((await given.read()).total, total)
      await given.count(...tasks, { id: 'task_late', at: FIRST })
      assert.deepEqual(await given.entries(), [])
      assert.deepEqual((await given.read()).total, total)
      assert.match(lines.join(''), /"event":"usage.hour_is_closed".*"tasks":3/)
      await given.sum()
    })

    it('counts the tasks of an hour that was never heard of, however old', async () => {
      await given.clock.advance(2 * KEPT_MS)
      await given.count(...tasks)
      await given.sum()
      assert.deepEqual((await given.read()).total, total)
    })

    it('counts a task whose time or cost can’t be read, once and for nothing, and says which it is', async () => {
      const lines: string[] = []
      const count = consumeTaskEvents({
        ...{ entries, hours, clock: given.clock, post: given.post },
        log: createLog({ level: 'error', write: line => void lines.push(line) }),
        entryOf: computeEntry,
        onCounted: () => {},
      })
      const { tenant } = given
      const good = endEvent({ id: 'task_0', tenant, at: FIRST, computeMs: 7, cost: '0.000020' })
      const bad = [
        { computeMs: 1e308, cost: '0.00null' },
        { computeMs: -1, cost: '1e308' },
        { computeMs: 0.5, cost: '9007199254.740991' },
        { computeMs: Number.POSITIVE_INFINITY, cost: '' },
      ].map((lie, n) => endEvent({ id: `task_${n + 1}`, tenant, at: FIRST, ...lie }))
      await count([...bad, good, ...bad])
      const { succeeded, compute_ms, cost_micros } = (await given.read()).total
      assert.deepEqual([succeeded, compute_ms, cost_micros], [5, 7, 20])
      const told = lines.map(line => JSON.parse(line)).filter(({ event }) => event === 'usage.quantity_unreadable')
      assert.deepEqual(
        told.slice(0, 4).map(({ task_id, fields }) => [task_id, fields]),
        bad.map(({ key }) => [key, ['compute_ms', 'cost']]),
      )
    })

    it('leaves out an event that can’t be read, says so, and goes on', async () => {
      const count = consumeTaskEvents({
        ...{ entries, hours, clock: given.clock, post: given.post },
        log: createLog({ level: 'error', write: line => void lines.push(line) }),
        entryOf: computeEntry,
        onCounted: () => {},
      })
      const good = endEvent({ id: 'task_1', tenant: given.tenant, at: FIRST })
      const bad = ['{', '{}', good.value.replace('USD', 'EUR').replace('"digits"', '""')]
      await count([...bad.map((value, n) => ({ ...good, id: `evt_bad${n}`, value })), good])
      assert.equal((await given.read()).total.succeeded, 1)
      assert.equal(lines.filter(line => /"usage.event_unreadable".*"task_id":"task_1"/.test(line)).length, 3)
    })
  })
}
