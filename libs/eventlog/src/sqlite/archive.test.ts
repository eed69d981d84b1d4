/** The log as the archive finds what a collection of the same events finds, whatever is asked. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { type Document, noAccount, type OutboxEvent, type Query } from '@millhand/store'
import { openSqlite, type SqliteDatabase } from '@millhand/store/sqlite'
import { type ArchivedEvent, type ArchiveIndex, archiveIndexes } from '../event-archive.ts'
import { sqliteArchive, sqliteEventLog } from './sqlite.ts'

const folder = await mkdtemp(join(tmpdir(), 'event-archive-'))
after(() => rm(folder, { recursive: true, force: true }))

const TOPIC = 'millhand.tasks.v1'
const TENANTS = ['acct_a/live', 'acct_a/test', 'acct_b/live']

describe('sqlite: EventArchive', () => {
  it('finds by every index what a collection of the same events finds', async () => {
    const db = openSqlite({ file: join(folder, 'same.db') })
    const events = await appendMany(db, 300)
    const archive = sqliteArchive(db, [TOPIC])
    const collection = db.collection<ArchivedEvent, ArchiveIndex>({ name: 'copies', indexes: archiveIndexes })
    for (const { id, tenant } of events) {
      const document = await archive.get(tenant, id)
      assert.ok(document)
      await collection.write({ kind: 'insert', document, events: [] })
    }
    const idsOf = (found: readonly ArchivedEvent[]) => found.map(({ id }) => id)
    const all = await collection.find('primary', { equals: [], limit: 10_000 })
    let seed = 1
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed % below
    }
    const pick = () => all[random(all.length)] as ArchivedEvent
    for (let n = 0; n < 600; n++) {
      const [index, { equals, bound }] = queryOf(n, pick())
      const query: Query = {
        equals,
        limit: 1 + random(20),
        order: random(2) === 0 ? 'asc' : 'desc',
        ...(random(2) === 0 && { after: bound(pick()) }),
        ...(random(2) === 0 && { before: bound(pick()) }),
      }
      const what = JSON.stringify({ index, query })
      assert.deepEqual(idsOf(await archive.find(index, query)), idsOf(await collection.find(index, query)), what)
    }
    await db.close()
  })

  it('numbers arrivals in the order of the log, and goes on behind them in a reopened file', async () => {
    const file = join(folder, 'arrivals.db')
    for (let times = 0; times < 2; times++) {
      const db = openSqlite({ file })
      await appendMany(db, 50)
      await db.close()
    }
    const db = openSqlite({ file })
    const arrivals = db.read<[number]>('SELECT arrived FROM event_log ORDER BY seq').map(([arrived]) => arrived)
    assert.equal(arrivals.length, 100)
    for (const [n, arrived] of arrivals.entries()) assert.ok(n === 0 || arrived > (arrivals[n - 1] as number))
    await db.close()
  })

  it('shows what was added to it alone, once, and no reader of the log hears of that', async () => {
    const db = openSqlite({ file: join(folder, 'added.db') })
    const archive = sqliteArchive(db, [TOPIC])
    const event = taskEvent(1)
    await Promise.all([archive.add(event, 'acct_a/live'), archive.add(event, 'acct_a/live')])
    const found = await archive.find('by_arrival', { equals: ['acct_a/live'], limit: 10 })
    assert.deepEqual(
      found.map(({ id, value }) => [id, value]),
      [[event.id, event.value]],
    )
    assert.equal(await archive.get('acct_b/live', event.id), undefined)
    await appendMany(db, 1)
    const stop = new AbortController()
    for await (const [heard] of sqliteEventLog(db).tail([TOPIC], 'beginning', stop.signal)) {
      assert.notEqual(heard?.id, event.id)
      break
    }
    await db.close()
  })

  it('finds an event about an account by the account, though its document belongs to none', async () => {
    const db = openSqlite({ file: join(folder, 'accounts.db') })
    const accounts = db.collection<Document, never>({ name: 'accounts', indexes: {} })
    const event = { ...taskEvent(1), value: JSON.stringify({ account_id: 'acct_z', mode: 'live' }) }
    await accounts.write({ kind: 'insert', document: { tenant: noAccount, id: 'acct_z' }, events: [event] })
    assert.equal((await sqliteArchive(db, [TOPIC]).get('acct_z/live', event.id))?.id, event.id)
    await db.close()
  })

  it('shows nothing of other topics', async () => {
    const db = openSqlite({ file: join(folder, 'topics.db') })
    const [event] = await appendMany(db, 1)
    const archive = sqliteArchive(db, ['millhand.batches.v1'])
    assert.equal(await archive.get(event?.tenant ?? '', event?.id ?? ''), undefined)
    assert.deepEqual(await archive.find('by_arrival', { equals: [event?.tenant ?? ''], limit: 10 }), [])
    await db.close()
  })
})

/** A query of one of the indexes that finds an event, and the bounds that another event makes. */
function queryOf(n: number, event: ArchivedEvent) {
  const byArrival = ({ arrived }: ArchivedEvent) => [arrived]
  const queries = {
    by_arrival: { equals: [event.tenant], bound: byArrival },
    by_type: { equals: [event.tenant, event.type], bound: byArrival },
    by_resource: { equals: [event.tenant, event.resource_id], bound: byArrival },
    by_time: { equals: [event.tenant], bound: ({ created_at, id }: ArchivedEvent) => [created_at, id] },
  }
  const entries = Object.entries(queries) as [ArchiveIndex, (typeof queries)[ArchiveIndex]][]
  return entries[n % entries.length] as (typeof entries)[number]
}

const taskEvent = (n: number): OutboxEvent => ({
  topic: TOPIC,
  key: `task_${n % 7}`,
  id: `evt_${crypto.randomUUID()}`,
  type: n % 3 === 0 ? 'task.queued' : 'task.succeeded',
  time: 1_700_000_000_000 + (n % 11),
  value: JSON.stringify({ n }),
})

let things = 0
async function appendMany(db: SqliteDatabase, count: number) {
  const collection = db.collection<Document, never>({ name: 'things', indexes: {} })
  const events = Array.from({ length: count }, (_, n) => ({ ...taskEvent(n), tenant: TENANTS[n % 3] as string }))
  for (const { tenant, ...event } of events)
    await collection.write({ kind: 'insert', document: { tenant, id: `${++things}-${count}` }, events: [event] })
  return events
}
