/**
 * Any account, in any months: month ends and leap days, plans that are changed 50 times in a day or were removed from the
 * plan file, prices that change, and events that are heard of weeks late. Its invoices are those of the reference.
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { dueMicros } from '@millhand/api'
import { loadPlans, type PriceSet, pricesOf } from '@millhand/plans'
import { manualClock } from '@millhand/process'
import fc from 'fast-check'
import { collectionsOf } from './collections.ts'
import { billOf } from './ledger/bill.ts'
import { LEDGER_ID, type LedgerRecord } from './ledger/ledger.ts'
import { totalOf } from './ledger/line.ts'
import { type Month, monthAfter, spanOf } from './ledger/month.ts'
import { verifyLedger } from './ledger/verify-ledger.ts'
import { type Arrival, expectedBills, halfEven, type Rates } from './oracle.fixture.ts'
import { eventAt, tenantOf } from './oracle-log.fixture.ts'
import { byName, GRACE_MS, named, startProcess } from './oracle-process.fixture.ts'
import { memoryCollection } from './usage/memory-collection.fixture.ts'

const DAY_MS = 86_400_000
const [first] = loadPlans().prices.sets as [PriceSet]

/** A year’s end, a February of a leap year, one of 2100, which is none, and one of 28 days. */
const monthArb: fc.Arbitrary<Month> = fc.constantFrom('2027-12', '2028-01', '2028-02', '2100-01', '2026-02', '2026-09')
/** In the three months: anywhere, or at the edge of a month, to the millisecond. */
const timeArb = fc.oneof(
  fc.record({ share: fc.double({ min: 0, max: 0.999_999, noNaN: true }) }),
  fc.record({ edge: fc.integer({ min: 1, max: 2 }), off: fc.constantFrom(-1_000, -1, 0, 1, 999, 1_000) }),
)
const delayArb = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 40 * DAY_MS }))
const planArb = fc.constantFrom('free', 'pro')

const accountArb = fc.record({
  month: monthArb,
  plan: planArb,
  changes: fc.array(fc.record({ time: timeArb, delay: delayArb, plan: planArb }), { maxLength: 6 }),
  /** Fifty changes in a day. */
  burst: fc.option(fc.record({ time: timeArb, plans: fc.array(planArb, { minLength: 50, maxLength: 50 }) })),
  tasks: fc.array(
    fc.record({
      ...{ time: timeArb, delay: delayArb, ms: fc.nat(100_000), isWork: fc.boolean() },
      tokens: fc.option(fc.record({ count: fc.integer({ min: 1, max: 900 }), micros: fc.nat(50_000) }), {
        nil: undefined,
      }),
    }),
    { maxLength: 12 },
  ),
  repricing: fc.record({
    time: timeArb,
    second: fc.nat(1e9),
    pro: fc.option(fc.nat(99_999), { nil: 'removed' as const }),
  }),
})

it('each month of an account is billed as the reference says, and late changes as adjustments', async () => {
  let negative = 0
  let leapDays = 0
  const property = fc.asyncProperty(accountArb, async account => {
    const { month, arrivals, sets, rates } = historyOf(account)
    const prices = pricesOf(sets)
    const months = [month]
    while (months.length < 5) months.push(monthAfter(months.at(-1) as Month))
    const clock = manualClock(spanOf(month).start)
    const stores = collectionsOf({ collection: spec => memoryCollection(spec, async () => {}) as never })
    const running = startProcess(stores, clock, prices)
    const closings = new Map<string, number>()
    for (const [at, arrival] of arrivals.entries()) {
      for (const each of months) {
        const due = spanOf(each).end + GRACE_MS
        if (due > arrival.at || closings.has(each)) continue
        clock.step(due - clock.now())
        await running.closeMonths()
        closings.set(each, at)
      }
      if (arrival.at > clock.now()) clock.step(arrival.at - clock.now())
      await running.handle([eventAt(arrival, rates)])
    }

    const placed = arrivals.map((arrival, at) => ({ ...arrival, at }))
    const bills = expectedBills(placed, 0, closings, months, rates, [sets[1].from])
    const ledger = (await stores.ledgers.get(tenantOf(0), LEDGER_ID)) as LedgerRecord
    const invoices = await stores.invoices.find('primary', { equals: [tenantOf(0)], limit: 10 })
    assert.deepEqual(
      invoices.map(each => [each.number, each.month]),
      [...closings.keys()].map((each, at) => [at + 1, each]),
    )
    for (const each of months) {
      const lines =
        invoices.find(invoice => invoice.month === each)?.lines ?? billOf(ledger, each, spanOf(each).end, prices)
      const expected = [...(bills.get(each) as Map<string, bigint>)].filter(([, micros]) => micros !== 0n)
      assert.deepEqual(named(lines), new Map(expected.sort(byName)), each)
      const total = totalOf(lines)
      assert.equal(
        BigInt(total),
        expected.reduce((sum, [, micros]) => sum + micros, 0n),
      )
      const cents = halfEven(BigInt(Math.abs(total)), 10_000n) * BigInt(Math.sign(total))
      assert.equal(BigInt(dueMicros(total)), cents * 10_000n)
      if (lines.some(({ kind, micros }) => kind === 'adjustment' && micros < 0)) negative++
      if (each.endsWith('-02') && spanOf(each).end - spanOf(each).start === 29 * DAY_MS) leapDays++
    }
    assert.deepEqual((await verifyLedger({ ...stores, prices }, tenantOf(0), 0)).differences, [])
  })
  await fc.assert(property, { numRuns: process.env.TEST_ALL ? 5_000 : 200 })
  assert.ok(negative > 0 && leapDays > 0, `${negative} bills have negative adjustments, ${leapDays} a leap day`)
})

type Account = typeof accountArb extends fc.Arbitrary<infer T> ? T : never
type Time = Account['changes'][number]['time']

/** What comes of an account, in the order of its arrival, and what things cost. */
function historyOf({ month, plan, changes, burst, tasks, repricing }: Account) {
  const edges = [spanOf(month).start]
  for (let each = month; edges.length < 4; each = monthAfter(each)) edges.push(spanOf(each).end)
  const [start = 0, , , end = 0] = edges
  const timeOf = (time: Time): number =>
    'share' in time ? start + Math.floor(time.share * (end - start)) : (edges[time.edge] as number) + time.off

  const from = Math.floor(timeOf(repricing.time) / 1_000) * 1_000
  const { pro: _, ...others } = first.subscriptions.developer
  const pro = repricing.pro === 'removed' ? (first.subscriptions.developer.pro as number) : repricing.pro * 10_000
  const developer = repricing.pro === 'removed' ? others : { ...others, pro }
  const second = repricing.second
  const later: PriceSet = {
    ...{ ...first, from, compute_second: { default: second }, models: {}, workforce_second: second },
    subscriptions: { ...first.subscriptions, developer: developer as Record<string, number> },
  }
  const sets: [PriceSet, PriceSet] = [first, later]
  const rates: Rates = at =>
    at < from ? { second: 20_000n, pro: 49_000_000n } : { second: BigInt(second), pro: BigInt(pro) }

  const day = burst && Math.floor(timeOf(burst.time) / DAY_MS) * DAY_MS
  const burstChanges = (burst?.plans ?? []).map((each, n) => ({
    at: (day as number) + Math.floor(((n + 0.5) * DAY_MS) / 50),
    delay: (n * 7_919_017) % (30 * DAY_MS),
    plan: each,
  }))
  const ordered = [...changes.map(each => ({ ...each, at: timeOf(each.time) })), ...burstChanges]
    .filter(({ at }) => at >= start && at < end)
    .sort((one, other) => one.at - other.at)
  const arrivals: Arrival[] = [
    { at: start, event: { changed: { account: 0, at: start, version: 1, developer: plan } } },
    ...ordered.map(({ at, delay, plan: each }, n) => ({
      at: at + delay,
      event: { changed: { account: 0, at, version: n + 2, developer: each } },
    })),
    ...tasks.map(({ time, delay, ms, isWork, tokens }, n) => {
      const at = timeOf(time)
      const id = `${isWork ? 'wtask' : 'task'}_${n}`
      const ended = { account: 0, id, at, ms, model: isWork ? 'emma' : 'digits', ...(isWork && tokens && { tokens }) }
      return { at: at + delay, event: { ended } }
    }),
  ]
  return { month, sets, rates, arrivals: arrivals.sort((one, other) => one.at - other.at) }
}
