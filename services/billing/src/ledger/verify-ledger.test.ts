import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { loadPlans } from '@millhand/plans'
import type { EntryRecord } from '../usage/usage-entry.ts'
import { chargedOf, chargesOf, entryLine, keyOf } from './charges.ts'
import { creditLine } from './credit.ts'
import type { InvoiceRecord } from './invoice.ts'
import { type LedgerRecord, newLedger } from './ledger.ts'
import { type LineSum, totalOf } from './line.ts'
import { verifyLedger } from './verify-ledger.ts'

const { prices } = loadPlans()
const DECEMBER = Date.UTC(2026, 11)
const tenant = 'acct_a/live'
const month = '2026-12'

const entry = (id: string, more: Partial<EntryRecord> = {}): EntryRecord => {
  const draft = {
    ...({
      tenant,
      id,
      version: 1,
      event_id: `evt_${id}`,
      finished_at: DECEMBER,
      ending: 'succeeded',
      items: 1,
    } as const),
    ...{ model: 'digits', type: 'inference', gpu_type: 'cpu' },
    ...{ compute_ms: 1_000, input_tokens: 0, output_tokens: 0, cost_micros: 20 },
  }
  const charged = { ...draft, ...chargedOf('compute', draft, prices) }
  return { ...charged, posted: 'yes', line: entryLine(month, keyOf('compute', charged, month)), ...more }
}
const sumOf = (some: EntryRecord): LineSum =>
  chargesOf('compute', { ...some, ...chargedOf('compute', some, prices) }, month)[0] as LineSum
const ledger = (version: number, more: Partial<LedgerRecord>): LedgerRecord => ({
  ...{ ...newLedger(tenant, DECEMBER, 0), version },
  ...more,
})
const subscription = (more: Partial<LineSum>): LineSum => ({
  ...{ family: 'developer', kind: 'subscription', quantity: 1, micros: 0, would_micros: 0 },
  ...more,
})
const invoice = (number: number, month: string, lines: readonly LineSum[]): InvoiceRecord => ({
  ...{ tenant, id: `inv_${number}`, version: 1, number, month, lines, total_micros: totalOf(lines) },
  finalized_at: DECEMBER,
})

/** `ledgers`: what is read of the ledger, one after the other; the last again and again. */
function verified(ledgers: readonly LedgerRecord[], entries: readonly EntryRecord[], invoices: InvoiceRecord[] = []) {
  let reads = 0
  const stored = (some: readonly EntryRecord[]) => ({ entries: { find: async () => [...some] } })
  const deps = {
    ...{ prices, credits: { find: async () => [] }, invoices: { find: async () => invoices } },
    ledgers: { get: async () => ledgers[Math.min(reads++, ledgers.length - 1)] },
    usage: { compute: stored(entries), workforce: stored([]), instances: stored([]) },
  }
  return verifyLedger(deps, tenant, 0)
}
const about = ({ differences }: Awaited<ReturnType<typeof verified>>) => differences.map(each => each.about)

describe('a verification', () => {
  const one = entry('task_1')
  const lines = [sumOf(one)]
  /** A ledger in which something was posted before each look. */
  const busy = Array.from({ length: 20 }, (_, n) =>
    ledger(n + 1, { months: [{ month, lines: lines.map(line => ({ ...line, quantity: line.quantity + n + 1 })) }] }),
  )

  it('finds nothing where all is right, and what differs at rest', async () => {
    const right = ledger(1, { months: [{ month, lines }] })
    assert.deepEqual(await verified([right], [one]), { entries: 1, differences: [], changedMeanwhile: false })
    const wrong = await verified([busy[0] as LedgerRecord], [one])
    assert.deepEqual([wrong.differences.length, wrong.changedMeanwhile], [1, false])
  })

  it('says of a ledger that never rests that it changed, and of what lasts that it differs', async () => {
    assert.deepEqual(await verified(busy, [one]), { entries: 1, differences: [], changedMeanwhile: true })
    const dear = entry('task_2', { cost_micros: 21 })
    const found = await verified(busy, [one, dear])
    assert.deepEqual([about(found), found.changedMeanwhile], [['entry task_2'], true])
    const rests = [...busy.slice(0, 3), ledger(9, { months: [{ month, lines }] })]
    assert.deepEqual(await verified(rests, [one]), { entries: 1, differences: [], changedMeanwhile: false })
  })

  it('counts what a ledger has pending and a process that died has not stored: an invoice, a credit', async () => {
    const closing = { ...invoice(1, month, lines), events: [] }
    const closed = ledger(2, { open_from: '2027-01', months: [], closing, next_number: 2 })
    assert.deepEqual(about(await verified([closed], [one])), [])
    assert.deepEqual(about(await verified([closed], [one], [closing])), [])
    const crediting = { tenant, id: 'cred_1', month, family: 'compute', micros: 5, reason: 'Outage', by: 'op' } as const
    const credited = [...lines, creditLine({ ...crediting, at: DECEMBER })]
    const open = ledger(2, { months: [{ month, lines: credited }], crediting: { ...crediting, at: DECEMBER } })
    assert.deepEqual(about(await verified([open], [one])), [])
  })

  it('compares the cost of an entry with its quantities', async () => {
    const dear = entry('task_1', { cost_micros: 21, would_micros: 21 })
    const months = [{ month, lines: [{ ...sumOf(dear), micros: 21, would_micros: 21 }] }]
    const { differences } = await verified([ledger(1, { months })], [dear])
    const line = 'of them for tokens, at 20000 nano-dollars, on'
    assert.deepEqual(
      differences.map(({ expected, actual }) => [expected.split(line)[0], actual.split(line)[0]]),
      [['20 micro-dollars (21), 0 ', '21 micro-dollars (21), 0 ']],
    )
  })

  it('compares the subscriptions on invoices with what the ledger has billed of them', async () => {
    const billed = [{ month: '2026-10', subscriptions: { developer: 49_000_000 } }]
    const [november, correction] = [
      invoice(2, '2026-11', [
        subscription({ kind: 'adjustment', of: 'subscription', of_time: '2026-10', micros: 1_000_000 }),
      ]),
      invoice(1, '2026-10', [subscription({ plan: 'pro', micros: 48_000_000 })]),
    ]
    const with_ = (more: Partial<LedgerRecord>) => ledger(1, { billed, next_number: 3, ...more })
    assert.deepEqual(about(await verified([with_({})], [], [correction, november])), [])
    const wrong = await verified([with_({})], [], [correction])
    assert.deepEqual(
      wrong.differences.map(({ month, about, expected, actual }) => [month, about, expected, actual]),
      [['2026-10', 'subscriptions of developer', '49000000 micro-dollars', '48000000 micro-dollars']],
    )
    // Of the plans of October some are folded away: what they cost can't be told any more.
    const names = { compute: 'starter', developer: 'pro', workforce: 'none' }
    const plans = [{ ...names, at: Date.UTC(2026, 9, 5), resource_version: 4, event_id: 'evt_4' }]
    assert.deepEqual(about(await verified([with_({ plans, plans_from: 4 })], [], [correction])), [])
  })
})
