/**
 * Whatever is repeated, reordered, raced or broken off: in the end every hour's sum is that of its distinct tasks, and so is
 * the ledger.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadPlans } from '@millhand/plans'
import type { Draft } from '@millhand/store'
import { createLog } from '@millhand/telemetry'
import fc from 'fast-check'
import { type CreditRecord, creditsSpec } from '../ledger/credit.ts'
import { type InvoiceRecord, invoicesSpec } from '../ledger/invoice.ts'
import { LEDGER_ID, type LedgerRecord, ledgersSpec } from '../ledger/ledger.ts'
import { totalOf } from '../ledger/line.ts'
import { createPosting } from '../ledger/posting.ts'
import { type PaymentRecord, paymentsSpec } from '../payment/payment.ts'
import { createHourlyRollup } from './hourly-rollup.ts'
import { memoryCollection } from './memory-collection.fixture.ts'
import { endEvent } from './task-event.fixture.ts'
import { computeEntry } from './task-event.ts'
import { consumeTaskEvents } from './usage-consumer.ts'
import { type EntryRecord, endings, entriesSpec } from './usage-entry.ts'
import { HOUR_MS, type HourRecord, hourId, hourOf, hoursSpec } from './usage-hour.ts'
import { readUsage } from './usage-query.ts'
import { addEntry, nothing, type Sum } from './usage-sum.ts'

const { prices } = loadPlans()
const FIRST = Date.UTC(2026, 10, 21, 7)
const HOURS = 3
const tenants = ['acct_a/live', 'acct_a/test'] as const

const tasks = fc.uniqueArray(
  fc.record({
    id: fc.nat(9).map(n => `task_${n}`),
    tenant: fc.constantFrom(...tenants),
    // Few different times, some of them just before or at the full hour.
    at: fc
      .tuple(fc.nat(HOURS - 1), fc.constantFrom(0, 1, HOUR_MS / 2, HOUR_MS - 1))
      .map(([hour, ms]) => FIRST + hour * HOUR_MS + ms),
    ending: fc.constantFrom(...endings),
    model: fc.constantFrom('a', 'b'),
    computeMs: fc.nat(1000),
  }),
  { minLength: 1, maxLength: 6, selector: ({ id }) => id },
)

const step = fc.constantFrom(0, 1, HOUR_MS / 4, 2 * HOUR_MS)

const plan = tasks.chain(tasks =>
  fc.record({
    tasks: fc.constant(tasks),
    /** What each of two subscribers is given, one event after the other: each at least once, some twice. */
    deliveries: fc
      .nat(3)
      .map(repeats => [...tasks, ...tasks.slice(0, repeats)])
      .chain(all => fc.shuffledSubarray(all, { minLength: all.length }))
      .map(all => Map.groupBy(all, (_, place) => place % 2)),
    /** By how much the clock goes on before each pass of two that sum. */
    passes: fc.tuple(fc.array(step, { maxLength: 8 }), fc.array(step, { maxLength: 8 })),
    /** Which calls to the store fail, before or after they have done their work. */
    failures: fc.array(fc.nat(15), { minLength: 1, maxLength: 40 }),
  }),
)

test('sums equal a naive fold of the distinct tasks', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), plan, async (scheduler, { tasks, deliveries, passes, failures }) => {
      let now = FIRST
      let calls = 0
      let isOver = false
      const interrupt = async (call: string) => {
        if (isOver) return
        await scheduler.schedule(Promise.resolve(), call)
        if (failures[calls++ % failures.length] === 0 && calls < 200) throw new Error('the store went away')
      }
      const entries = memoryCollection<EntryRecord, 'by_end' | 'by_line'>(entriesSpec, interrupt)
      const ledgers = memoryCollection<LedgerRecord, 'due'>(ledgersSpec, interrupt)
      const invoices = memoryCollection<InvoiceRecord, 'by_month'>(invoicesSpec, interrupt)
      const credits = memoryCollection<CreditRecord, never>(creditsSpec, interrupt)
      const payments = memoryCollection<PaymentRecord, 'due'>(paymentsSpec, interrupt)
      const hours = memoryCollection<HourRecord, 'due'>(hoursSpec, interrupt)
      const clock = { now: () => now, monotonic: () => now, sleep: async () => {}, timer: () => ({ cancel() {} }) }
      const deps = { entries, hours, clock, log: createLog({ level: 'error', write: () => {} }) }
      const signal = new AbortController().signal
      const all = new Map(tenants.map(tenant => [tenant, fold(tasks, tenant)]))
      const span = { start: FIRST, end: FIRST + HOURS * HOUR_MS, groupBy: undefined }

      /** One process, as far as it shares nothing but the store. */
      const processOf = () => {
        const summing = createHourlyRollup({ ...deps, keptMs: 1_000 * HOUR_MS })
        const posting = createPosting({
          chargedFrom: async () => 0,
          ...{ ledgers, invoices, payments, credits, prices, clock, graceMs: HOUR_MS, keptMs: 1_000 * HOUR_MS },
          usage: { compute: { entries, hours }, workforce: { entries, hours }, instances: { entries, hours } },
        })
        const post = (drafts: readonly Draft<EntryRecord>[]) => posting.post('compute', drafts)
        return {
          summing,
          count: consumeTaskEvents({ ...deps, post, entryOf: computeEntry, onCounted: summing.counted }),
        }
      }
      const processes = [processOf(), processOf()] as const
      const untilItWorks = async (work: () => Promise<unknown>) => {
        for (;;) {
          try {
            return await work()
          } catch {}
        }
      }
      const counting = async (at: 0 | 1) => {
        for (const task of deliveries.get(at) ?? []) await untilItWorks(() => processes[at].count([endEvent(task)]))
      }
      const sums = async (at: 0 | 1) => {
        for (const ms of passes[at]) {
          now += ms
          for (let calls = 0; calls < 3; calls++) await interrupt('rest').catch(() => {})
          await processes[at].summing.pass(signal).catch(() => {})
        }
      }
      const reads = async () => {
        for (const tenant of tenants) {
          const { total } = await readUsage({ entries, hours }, { ...span, tenant }).catch(() => ({ total: nothing() }))
          assertWithin(total, all.get(tenant) as Sum)
        }
      }
      await scheduler.waitFor(Promise.all([counting(0), counting(1), sums(0), sums(1), reads(), reads()]))

      isOver = true
      for (const tenant of tenants)
        assert.deepEqual((await readUsage({ entries, hours }, { ...span, tenant })).total, all.get(tenant))
      for (const tenant of tenants) {
        const ledger = await ledgers.get(tenant, LEDGER_ID)
        const lines = ledger?.months.flatMap(({ lines }) => lines) ?? []
        const { cost_micros, compute_ms } = all.get(tenant) as Sum
        assert.deepEqual(
          [totalOf(lines), lines.reduce((sum, line) => sum + line.quantity, 0)],
          [cost_micros, compute_ms],
        )
        for (const { id } of tasks.filter(task => task.tenant === tenant))
          assert.equal((await entries.get(tenant, id))?.posted, 'yes')
      }
      now += 10 * HOUR_MS
      await processOf().summing.pass(signal)
      for (const tenant of tenants) {
        assert.deepEqual((await readUsage({ entries, hours }, { ...span, tenant })).total, all.get(tenant))
        for (const { at } of tasks.filter(task => task.tenant === tenant))
          assert.equal((await hours.get(tenant, hourId(hourOf(at))))?.state, 'summed')
      }
    }),
    { numRuns: 400 },
  )
})

/** In no sum is anything twice, at any moment. */
function assertWithin(sum: Sum, all: Sum): void {
  for (const field of Object.keys(all) as (keyof Sum)[]) assert.ok(sum[field] <= all[field], `${field} is too much`)
}

function fold(tasks: readonly Parameters<typeof endEvent>[0][], tenant: string): Sum {
  const sum = nothing()
  for (const task of tasks) {
    const entry = computeEntry(endEvent(task))?.entry
    if (entry?.tenant === tenant) addEntry(sum, entry)
  }
  return sum
}
