import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadPlans } from '@millhand/plans'
import { manualClock } from '@millhand/process'
import { type PaymentRecord, paymentsSpec } from '../payment/payment.ts'
import { memoryCollection } from '../usage/memory-collection.fixture.ts'
import { endEvent } from '../usage/task-event.fixture.ts'
import { computeEntry } from '../usage/task-event.ts'
import { type EntryRecord, entriesSpec } from '../usage/usage-entry.ts'
import { HOUR_MS, type HourRecord, hoursSpec } from '../usage/usage-hour.ts'
import { type CreditRecord, creditsSpec } from './credit.ts'
import { type InvoiceRecord, invoicesSpec } from './invoice.ts'
import { LEDGER_ID, type LedgerRecord, ledgersSpec } from './ledger.ts'
import { totalOf } from './line.ts'
import { createPosting } from './posting.ts'

const { prices } = loadPlans()
const at = Date.UTC(2026, 10, 21, 7)
const tenant = 'acct_a/live'

/** Posts the ends of tasks with these numbers together. */
function open() {
  const calls = new Map<string, number>()
  const interrupt = async (call: string) => void calls.set(call, (calls.get(call) ?? 0) + 0.5)
  const ledgers = memoryCollection<LedgerRecord, 'due'>(ledgersSpec, interrupt)
  const entries = memoryCollection<EntryRecord, 'by_end' | 'by_line'>(entriesSpec, interrupt)
  const usage = { entries, hours: memoryCollection<HourRecord, 'due'>(hoursSpec, interrupt) }
  const posting = createPosting({
    ledgers,
    usage: { compute: usage, workforce: usage, instances: usage },
    invoices: memoryCollection<InvoiceRecord, 'by_month'>(invoicesSpec, interrupt),
    payments: memoryCollection<PaymentRecord, 'due'>(paymentsSpec, interrupt),
    credits: memoryCollection<CreditRecord, never>(creditsSpec, interrupt),
    chargedFrom: async () => 0,
    ...{ prices, clock: manualClock(at), graceMs: HOUR_MS },
  })
  return {
    async post(...numbers: readonly number[]) {
      calls.clear()
      const drafts = numbers.map(number => {
        const id = `task_${String(number).padStart(4, '0')}`
        const entry = computeEntry(endEvent({ id, tenant, at, computeMs: 1, cost: '0.000001' }))?.entry
        assert.ok(entry)
        return entry
      })
      await posting.post('compute', drafts)
      const ledger = await ledgers.get(tenant, LEDGER_ID)
      return totalOf(ledger?.months.flatMap(({ lines }) => lines) ?? [])
    },
    count: (call: string) => calls.get(`${call} ${entriesSpec.name}`) ?? 0,
  }
}

const upTo = (most: number, every = 1) => Array.from({ length: most / every }, (_, n) => n * every)

test('the entries of a batch are looked for with one question', async () => {
  const { post, count } = open()
  assert.equal(await post(...upTo(100, 2)), 50)
  assert.deepEqual([count('find'), count('get'), count('insert')], [1, 0, 50])
  assert.equal(await post(110, 111), 52)
  assert.deepEqual([count('find'), count('get'), count('insert')], [1, 0, 2])
})

test('each is posted once, however many others lie between', async () => {
  const { post, count } = open()
  assert.equal(await post(...upTo(100, 2)), 50)
  assert.equal(await post(7, 51, 96), 52)
  assert.equal(count('insert'), 2)
  assert.equal(await post(1, 1, 99), 54)
  assert.equal(await post(...upTo(100)), 100)
  assert.equal(await post(...upTo(100)), 100)
})
