/**
 * Whatever comes twice, late or in any order, while processes die and prices and plans change: the ledger is that of an
 * independent reference, to the micro-dollar, and each event is on one line of one invoice. A seed that failed is given as
 * `MILLHAND_SEED`.
 *
 * It fails without the deduplication: let `unposted` in posting.ts return all that it is given, and the lines of accounts
 * with events that came twice, or that a process died over, come to more than the reference says.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { dueMicros } from '@millhand/api'
import { manualClock } from '@millhand/process'
import { openSqlite, type SqliteDatabase } from '@millhand/store/sqlite'
import { collectionsOf } from './collections.ts'
import { billOf } from './ledger/bill.ts'
import { LEDGER_ID, type LedgerRecord } from './ledger/ledger.ts'
import { verifyLedger } from './ledger/verify-ledger.ts'
import { type Arrival, expectedBills } from './oracle.fixture.ts'
import { arrivalsOf, FROM, MONTHS, PRICE_CHANGE, prices, randomOf, rates, tenantOf } from './oracle-log.fixture.ts'
import { type BillingProcess, byName, GRACE_MS, named, startProcess } from './oracle-process.fixture.ts'

export interface OracleSize {
  readonly events: number
  readonly accounts: number
  /** How many processes die at least. */
  readonly deaths: number
}

export interface Processes {
  start(): BillingProcess
  /** Counts a death, and looks at what it left. Rejects with anything else that was thrown. */
  died(error: unknown): Promise<void>
  /** It is so late. */
  reach(time: number): void
}

/** How events come to processes. */
export interface Delivery extends AsyncDisposable {
  /** Resolves when each of the events was handled. Processes that die are replaced. */
  deliver(arrivals: readonly Arrival[]): Promise<void>
  /** Brings all that was delivered again; resolves when each was handled again. */
  deliverAgain(): Promise<void>
  /** Throws where the delivery was gentler than it says. */
  assertDone?(): void
}

export function describeOracle(
  name: string,
  size: OracleSize,
  open: (processes: Processes) => Promise<Delivery>,
  options: { readonly skip?: string | false } = {},
) {
  const { events, accounts, deaths: wantedDeaths } = size
  const seed = Number(process.env.MILLHAND_SEED ?? process.env.TEST_PART ?? Math.floor(Math.random() * 2 ** 31))

  describe(`${name}: the ledger and an independent reference`, options, () => {
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

    it(`agree to the micro-dollar (${events} events, seed ${seed})`, async t => {
      const random = randomOf(seed)
      const arrivals = arrivalsOf(events, accounts, random)
      const clock = manualClock(FROM)
      const stores = collectionsOf(failing(db, random, wantedDeaths, events))
      let deaths = 0
      /** The totals of a ledger are those of its entries at any moment: those that are stored, and those that are pending. */
      const assertFolded = async (account: number) => {
        const { differences } = await verifyLedger({ ...stores, prices }, tenantOf(account), 0)
        assert.deepEqual(differences, [], `account ${account} added up anew`)
      }
      const processes: Processes = {
        start: () => startProcess(stores, clock, prices),
        async died(error) {
          assert.match(String(error), /it died/, error as Error)
          deaths++
          await assertFolded(Math.floor(random() * accounts))
        },
        reach: time => void (time > clock.now() && clock.step(time - clock.now())),
      }
      await using delivery = await open(processes)

      /** In the order of their arrival, up to the next moment at which a month closes. Nothing else of the order matters. */
      const parts = MONTHS.map((_, part) =>
        arrivals.filter(({ at }) => at >= (closes(part - 1) ?? 0) && at < (closes(part) ?? Number.POSITIVE_INFINITY)),
      )
      const closings = new Map<string, number>()
      for (const [part, ofPart] of parts.entries()) {
        if (ofPart.length === 0) continue
        if (part > 0) {
          processes.reach(closes(part - 1) as number)
          await closeMonths(processes)
          closings.set(MONTHS[part - 1] as string, part)
        }
        await delivery.deliver(ofPart)
      }
      assert.ok(closings.size >= 3, 'months were closed')
      assert.ok(deaths >= wantedDeaths, `${deaths} processes died`)

      const placed = parts.flatMap((ofPart, part) => ofPart.map(arrival => ({ ...arrival, at: part })))
      for (let account = 0; account < accounts; account++) {
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
      for (let account = 0; account < accounts; account++) await assertFolded(account)

      const taskIds = new Set(arrivals.flatMap(({ event }) => ('ended' in event ? [event.ended.id] : [])))
      const posted = db.read<[number, number]>(
        `SELECT count(*), count(DISTINCT json_extract(body, '$.event_id')) FROM (
           SELECT body FROM usage_entries UNION ALL SELECT body FROM workforce_usage_entries)
         WHERE json_extract(body, '$.line') IS NOT NULL`,
      )[0]
      assert.deepEqual([...(posted ?? [])], [taskIds.size, taskIds.size], 'each event is on one line')

      const once = digests(db, accounts)
      await delivery.deliverAgain()
      assert.deepEqual(digests(db, accounts), once, 'the same log again changes nothing')
      delivery.assertDone?.()
      t.diagnostic(`${arrivals.length} events came, ${deaths} processes died`)
    })
  })
}

/** One process after the other, until one has done it. */
async function closeMonths(processes: Processes): Promise<void> {
  for (;;) {
    try {
      return await processes.start().closeMonths()
    } catch (error) {
      await processes.died(error)
    }
  }
}

/** When a month of `MONTHS` closes; undefined before the first. The last one does not close. */
function closes(month: number): number | undefined {
  if (month < 0 || month >= MONTHS.length - 1) return undefined
  return Date.parse(`${MONTHS[month + 1]}-01T00:00:00Z`) + GRACE_MS
}

/** By tenant and table: a million documents are too many at once. */
const digests = (db: SqliteDatabase, accounts: number) =>
  Array.from({ length: accounts }, (_, account) =>
    ['ledgers', 'invoices', 'billing_payments', 'usage_entries', 'workforce_usage_entries'].map(table => {
      const rows = db.read(`SELECT id, version, body FROM ${table} WHERE tenant = '${tenantOf(account)}' ORDER BY id`)
      return createHash('sha256').update(JSON.stringify(rows)).digest('hex')
    }),
  )

/** The database of processes that die now and then, just before or just after something was written. */
function failing(
  db: SqliteDatabase,
  random: () => number,
  deaths: number,
  events: number,
): Pick<SqliteDatabase, 'collection'> {
  // An event is two writes or more, and one batch may meet several deaths.
  const soon = () => Math.ceil((random() * 2 * events) / deaths)
  let next = soon()
  // What comes after a death must not die for ever.
  let left = 4 * deaths
  const dies = () => {
    if (left === 0 || --next > 0) return false
    left--
    next = soon()
    return true
  }
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
