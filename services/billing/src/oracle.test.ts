/**
 * Whatever comes twice, late or in any order, while processes die and prices and plans change: the ledger is that of an
 * independent reference, to the micro-dollar, and each event is on one line of one invoice. `TEST_ALL` makes it a
 * million events; a seed that failed is given as `MILLHAND_SEED`.
 *
 * It fails without the deduplication: let `unposted` in posting.ts return all that it is given, and the lines of accounts
 * with events that came twice, or that a process died over, come to more than the reference says.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createIds, dueMicros } from '@millhand/api'
import type { LoggedEvent } from '@millhand/eventlog'
import { parsePlanFile, pricesOf } from '@millhand/plans'
import { manualClock } from '@millhand/process'
import { openSqlite, type SqliteDatabase } from '@millhand/store/sqlite'
import { createLog } from '@millhand/telemetry'
import { collectionsOf } from './collections.ts'
import { billOf } from './ledger/bill.ts'
import { type ClosingDeps, closeDueMonths } from './ledger/closing.ts'
import { finalInvoice } from './ledger/invoice-event.ts'
import { LEDGER_ID, type LedgerRecord } from './ledger/ledger.ts'
import type { LineSum } from './ledger/line.ts'
import { consumeAccountEvents } from './ledger/plan-consumer.ts'
import { createPosting } from './ledger/posting.ts'
import { verifyLedger } from './ledger/verify-ledger.ts'
import { type Arrival, type Changed, costOf, type Ended, expectedBills, type Rates } from './oracle.fixture.ts'
import { computeEntry, workforceEntry } from './usage/task-event.ts'
import { consumeTaskEvents } from './usage/usage-consumer.ts'

const EVENTS = process.env.TEST_ALL ? 1_000_000 : 6_000
const SEED = Number(process.env.MILLHAND_SEED ?? Math.floor(Math.random() * 2 ** 31))
const ACCOUNTS = Math.max(3, Math.round(EVENTS / 5_000))
/** Events that come at once. */
const BATCH = process.env.TEST_ALL ? 2_000 : 200
const KILLS = 30
const DAY_MS = 86_400_000
/** What comes after December has closed is of January. */
const MONTHS = ['2026-09', '2026-10', '2026-11', '2026-12', '2027-01']
const FROM = Date.UTC(2026, 8)
/** In the middle of a month, not at the full hour. */
const PRICE_CHANGE = Date.UTC(2026, 9, 17, 11, 3, 7)
const TO = Date.UTC(2026, 11)
/** All that is late has come by then, and November has not closed. */
const GRACE_MS = 3 * DAY_MS

const file = readFileSync(new URL('../../../deploy/plans.yaml', import.meta.url), 'utf8')
const [, shipped = ''] = file.split('prices:\n')
const dearer = shipped
  .replace('2026-01-01T00:00:00Z', new Date(PRICE_CHANGE).toISOString().replace('.000', ''))
  .replace('pro: 49', 'pro: 59.99')
  .replaceAll('0.00002', '"0.000033333"')
const prices = pricesOf(parsePlanFile(file + dearer, 'plans.yaml').prices)
const rates: Rates = at =>
  at < PRICE_CHANGE ? { second: 20_000n, pro: 49_000_000n } : { second: 33_333n, pro: 59_990_000n }

describe('the ledger and an independent reference', () => {
  let folder: string
  let db: SqliteDatabase
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millhand-oracle-'))
    db = openSqlite({ file: join(folder, 'billing.db') })
  })
  after(async () => {
    await db.close()
    await rm(folder, { recursive: true })
  })

  it(`agree to the micro-dollar (${EVENTS} events, seed ${SEED})`, async () => {
    const random = randomOf(SEED)
    const arrivals = arrivalsOf(random)
    const clock = manualClock(FROM)
    const stores = collectionsOf(failing(db, random, arrivals.length))
    const closings = new Map<string, number>()
    const signal = new AbortController().signal

    /** A process: what it remembers dies with it. */
    const processOf = () => {
      const log = createLog({ level: 'error', write: () => {} })
      const posting = createPosting({ ...stores, prices, clock, graceMs: GRACE_MS, chargedFrom: async () => 0 })
      const ids = createIds({ now: () => clock.now() })
      const of = (family: 'compute' | 'workforce') =>
        consumeTaskEvents({
          ...{ ...stores.usage[family], clock, log, onCounted: () => {} },
          entryOf: family === 'compute' ? computeEntry : workforceEntry,
          post: drafts => posting.post(family, drafts),
        })
      const handlers = [of('compute'), of('workforce'), consumeAccountEvents({ posting, prices, clock, log })]
      const deps = { ledgers: stores.ledgers, posting, prices, graceMs: GRACE_MS }
      return {
        handle: async (events: readonly LoggedEvent[]) => {
          for (const handle of handlers) await handle(events)
        },
        close: () => {
          const failures: unknown[] = []
          const heard = {
            ...log,
            error: (_: string, fields?: { error?: unknown }) => void failures.push(fields?.error),
          }
          const finalize: ClosingDeps['finalize'] = draft => finalInvoice(draft, ids, true)
          return closeDueMonths({ ...deps, log: heard, finalize }, clock.now(), signal).then(() => {
            if (failures.length > 0) throw failures[0]
          })
        },
      }
    }
    let process = processOf()
    let deaths = 0
    /** The totals of a ledger are those of its entries at any moment: those that are stored, and those that are pending. */
    const assertFolded = async (account: number) => {
      const { differences } = await verifyLedger({ ...stores, prices }, tenantOf(account), 0)
      assert.deepEqual(differences, [], `account ${account} added up anew`)
    }
    /** The same batch comes again, to another process. */
    const survived = async (work: () => Promise<void>) => {
      for (;;) {
        try {
          return await work()
        } catch (error) {
          assert.match(String(error), /died/, error as Error)
          deaths++
          process = processOf()
          await assertFolded(Math.floor(random() * ACCOUNTS))
        }
      }
    }

    for (let from = 0; from < arrivals.length; from += BATCH) {
      const batch = arrivals.slice(from, from + BATCH)
      const first = batch[0] as Arrival
      if (first.at > clock.now()) clock.step(first.at - clock.now())
      for (const month of MONTHS) {
        const due = Date.parse(`${month}-01T00:00:00Z`) + 32 * DAY_MS
        const end = Date.parse(`${new Date(due).toISOString().slice(0, 7)}-01T00:00:00Z`)
        if (end + GRACE_MS > clock.now() || closings.has(month)) continue
        await survived(() => process.close())
        closings.set(month, from)
      }
      await survived(() => process.handle(batch.map(eventOf)))
    }
    assert.ok(deaths >= KILLS, `${deaths} processes died`)

    // A reference that knows places in the order instead of times: that is what decides.
    const placed = arrivals.map((arrival, n) => ({ ...arrival, at: Math.floor(n / BATCH) * BATCH }))
    for (let account = 0; account < ACCOUNTS; account++) {
      const bills = expectedBills(placed, account, closings, MONTHS, rates, [PRICE_CHANGE])
      const tenant = tenantOf(account)
      const ledger = (await stores.ledgers.get(tenant, LEDGER_ID)) as LedgerRecord
      const invoices = await stores.invoices.find('primary', { equals: [tenant], limit: 100 })
      assert.deepEqual(
        invoices.map(({ number, month }) => [number, month]),
        [...closings.keys()].map((month, n) => [n + 1, month]),
      )
      const payments = await stores.payments.find('primary', { equals: [tenant], limit: 100 })
      assert.deepEqual(
        payments.map(({ id, cents }) => [id, cents * 10_000]),
        invoices.map(({ id, total_micros }) => [id, dueMicros(total_micros)]).filter(([, due]) => due !== 0),
        'each invoice that owes something is to be collected, once',
      )
      for (const month of MONTHS) {
        const invoice = invoices.find(each => each.month === month)
        const lines = invoice?.lines ?? billOf(ledger, month, Date.UTC(2027, 1), prices)
        const expected = [...(bills.get(month) as Map<string, bigint>)].filter(([, micros]) => micros !== 0n)
        assert.deepEqual(named(lines), new Map(expected.sort(byName)), `account ${account}, ${month}`)
        const total = lines.reduce((sum, { micros }) => sum + micros, 0)
        if (invoice) assert.equal(invoice.total_micros, total)
      }
    }

    for (let account = 0; account < ACCOUNTS; account++) await assertFolded(account)

    const taskIds = new Set(arrivals.flatMap(({ event }) => ('ended' in event ? [event.ended.id] : [])))
    const posted = db.read<[number, number]>(
      `SELECT count(*), count(DISTINCT json_extract(body, '$.event_id')) FROM (
         SELECT body FROM usage_entries UNION ALL SELECT body FROM workforce_usage_entries)
       WHERE json_extract(body, '$.line') IS NOT NULL`,
    )[0]
    assert.deepEqual([...(posted ?? [])], [taskIds.size, taskIds.size], 'each event is on one line')

    /** By tenant and table: a million documents are too many at once. */
    const dump = () =>
      Array.from({ length: ACCOUNTS }, (_, account) =>
        ['ledgers', 'invoices', 'billing_payments', 'usage_entries', 'workforce_usage_entries'].map(table => {
          const rows = db.read(
            `SELECT id, version, body FROM ${table} WHERE tenant = '${tenantOf(account)}' ORDER BY id`,
          )
          return createHash('sha256').update(JSON.stringify(rows)).digest('hex')
        }),
      )
    const once = dump()
    for (let from = 0; from < arrivals.length; from += BATCH)
      await survived(() => process.handle(arrivals.slice(from, from + BATCH).map(eventOf)))
    assert.deepEqual(dump(), once, 'the same log again changes nothing')
  })
})

const tenantOf = (account: number) => `acct_${String(account).padStart(26, '0')}/live`

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1)

/** Lines as the reference names them. */
function named(lines: readonly LineSum[]): Map<string, bigint> {
  const bill = new Map<string, bigint>()
  for (const { kind, of, of_time, family, model, employee, unit_nanos, micros } of lines) {
    if (micros === 0) continue
    assert.ok(family === 'developer' || kind !== 'subscription')
    const late = kind === 'adjustment' ? `late ${of_time} ` : ''
    const what = (of ?? kind) === 'tokens' ? 'tokens of ' : ''
    const name =
      (of ?? kind) === 'subscription'
        ? kind === 'subscription'
          ? kind
          : `correction ${of_time}`
        : `${late}${what}${model ?? employee} ${unit_nanos}`
    bill.set(name, (bill.get(name) ?? 0n) + BigInt(micros))
  }
  return new Map([...bill].sort(byName))
}

/** In the order of their arrival: one in ten comes twice, most in seconds, some up to 40 days late. */
function arrivalsOf(random: () => number): Arrival[] {
  const arrivals: Arrival[] = []
  const delay = () => (random() < 0.9 ? random() * 60_000 : random() * 40 * DAY_MS)
  for (let account = 0; account < ACCOUNTS; account++) {
    const changes = 1 + Math.floor(random() * 8)
    // Identity numbers them as they happen; they are heard of in any order.
    const later = Array.from({ length: changes - 1 }, () => FROM + Math.floor(random() * (TO - FROM)))
    const times = [FROM, ...later.sort((one, other) => one - other)]
    for (let version = 1; version <= changes; version++) {
      const at = times[version - 1] as number
      const changed: Changed = { account, at, version, developer: random() < 0.6 ? 'pro' : 'free' }
      arrivals.push({ at: version === 1 ? FROM : at + delay(), event: { changed } })
    }
  }
  for (let n = 0; n < EVENTS; n++) {
    const at = FROM + Math.floor(random() * (TO - FROM))
    const isWork = random() < 0.3
    const tokens =
      isWork && random() < 0.5
        ? { count: 1 + Math.floor(random() * 900), micros: Math.floor(random() * 5e4) }
        : undefined
    const ended: Ended = {
      account: Math.floor(random() * random() * ACCOUNTS),
      id: `${isWork ? 'wtask' : 'task'}_${String(n).padStart(26, '0')}`,
      at,
      ms: Math.floor(random() * 100_000),
      model: isWork ? (['emma', 'alex'][n % 2] as string) : (['digits', 'a/b', 'é|%'][n % 3] as string),
      ...(tokens && { tokens }),
    }
    arrivals.push({ at: at + delay(), event: { ended } })
    if (random() < 0.1) arrivals.push({ at: at + delay(), event: { ended } })
  }
  return arrivals.sort((a, b) => a.at - b.at)
}

function eventOf({ event }: Arrival): LoggedEvent {
  const about = 'changed' in event ? changedEvent(event.changed) : endedEvent(event.ended)
  const [account_id, mode] = tenantOf(('changed' in event ? event.changed : event.ended).account).split('/')
  const value = JSON.stringify({ ...about.value, id: about.id, account_id, mode })
  return { topic: 't', key: about.id, position: about.id, ...about, value }
}

function changedEvent({ at, version, developer, account }: Changed) {
  const object = { compute: 'starter', developer, workforce: 'none' }
  const type = 'account.plans_changed'
  return { id: `evt_${account}_${version}`, type, time: at, value: { resource_version: version, data: { object } } }
}

function endedEvent(ended: Ended) {
  const { id, at, ms, model, tokens } = ended
  const cost = costOf(ended, rates) + BigInt(tokens?.micros ?? 0)
  const object = {
    id,
    ...(id.startsWith('wtask')
      ? { employee: model, task: 'answer_ticket', engine: 'llm' }
      : { model, type: 'inference' }),
    usage: { queue_ms: 1, compute_ms: ms, gpu_type: 'cpu', output_tokens: tokens?.count ?? 0, items: 1 },
    cost: { amount: `${cost / 1_000_000n}.${String(cost % 1_000_000n).padStart(6, '0')}`, currency: 'USD' },
    finished_at: new Date(at).toISOString(),
  }
  const type = id.startsWith('wtask') ? 'workforce.task.succeeded' : 'task.succeeded'
  return { id: `evt_${id}`, type, time: at, value: { data: { object } } }
}

/** The database of processes that die now and then, just before or just after something was written. */
function failing(db: SqliteDatabase, random: () => number, writes: number): Pick<SqliteDatabase, 'collection'> {
  // An event is some four writes, and a batch dies once.
  const dies = () => random() < KILLS / (2 * writes)
  return {
    collection(spec) {
      const collection = db.collection<never, never>(spec as never)
      return {
        ...collection,
        async write(change: never) {
          if (dies()) throw new Error('it died before the write')
          const result = await collection.write(change)
          if (dies()) throw new Error('it died after the write')
          return result
        },
      } as never
    },
  }
}

/** mulberry32 */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
