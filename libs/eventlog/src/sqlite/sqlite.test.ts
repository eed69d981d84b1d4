import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import type { Document, OutboxEvent } from '@millhand/store'
import { openSqlite, type SqliteDatabase } from '@millhand/store/sqlite'
import { describeEventLog, type OpenLog } from '../event-log.contract.ts'
import { sqliteEventLog, trimLog } from './sqlite.ts'

const folder = await mkdtemp(join(tmpdir(), 'eventlog-'))
after(() => rm(folder, { recursive: true, force: true }))
let files = 0
const newFile = () => join(folder, `${++files}.db`)

describeEventLog('sqlite', async () => opened(newFile()))

describe('sqlite: EventLog', () => {
  it('listens to the store only while there is a reader', async () => {
    const { db, listeners } = counting(openSqlite({ file: newFile() }))
    const log = sqliteEventLog(db)
    const stop = new AbortController()
    assert.equal(listeners(), 0)
    const subscription = log.subscribe('g', ['t'], async () => {}, stop.signal)
    const tail = log.tail(['t'], 'end', stop.signal)[Symbol.asyncIterator]()
    const next = tail.next()
    await append(db, event('other', 1))
    assert.equal(listeners(), 2)
    stop.abort()
    await Promise.all([subscription, next])
    assert.equal(listeners(), 0)
    await db.close()
  })

  it('has one active subscriber in a group; one that waits ends with its signal', async () => {
    const db = openSqlite({ file: newFile() })
    const log = sqliteEventLog(db)
    const [first, second, third] = [new AbortController(), new AbortController(), new AbortController()]
    const heard: string[] = []
    const entered = Promise.withResolvers<void>()
    const handler = (name: string) => async () => {
      heard.push(name)
      entered.resolve()
    }
    const active = log.subscribe('g', ['t'], handler('first'), first.signal)
    const waiting = log.subscribe('g', ['t'], handler('second'), second.signal)
    const last = log.subscribe('g', ['t'], handler('third'), third.signal)
    await append(db, event('t', 1))
    await entered.promise
    second.abort()
    await waiting
    assert.deepEqual(heard, ['first'])
    first.abort()
    await active
    third.abort()
    await last
    assert.deepEqual(heard, ['first'])
    await db.close()
  })

  it('lets a group of a quiet topic hold back trimming by at most 2,000 events', async () => {
    const db = openSqlite({ file: newFile() })
    const log = sqliteEventLog(db)
    const stop = new AbortController()
    const subscription = log.subscribe('g', ['quiet'], async () => {}, stop.signal)
    for (let n = 0; n < 6; n++) await append(db, ...Array.from({ length: 500 }, () => event('busy', n)))
    const place = () => db.read<[number]>('SELECT seq FROM event_subscriptions')[0]?.[0] ?? 0
    while (place() < 1000) await new Promise(resolve => setImmediate(resolve))
    assert.ok((await db.trimEvents(10_000)) >= 1000)
    stop.abort()
    await subscription
    await db.close()
  })

  it('trims nothing that a group or a tail has not read, and says who has not', async () => {
    const db = openSqlite({ file: newFile() })
    await append(db, ...[1, 2, 3, 4, 5].map(n => event('t', n)))
    const trimmed = (group: number, position: string, before = 100) =>
      db
        .execute('INSERT OR REPLACE INTO event_subscriptions VALUES (?, ?)', 'group', group)
        .then(() => trimLog(db, { before, tails: { tail: position } }))
    assert.deepEqual(await trimmed(0, 'beginning'), { events: 0, heldBy: ['group', 'tail'] })
    assert.deepEqual(await trimmed(3, '1'), { events: 1, heldBy: ['tail'] })
    assert.deepEqual(await trimmed(3, '4'), { events: 2, heldBy: ['group'] })
    assert.deepEqual(await trimmed(4, 'of another log'), { events: 0, heldBy: ['tail'] })
    assert.deepEqual(await trimmed(4, '4', 4), { events: 0, heldBy: [] }, 'it is not old enough')
    assert.deepEqual(await trimmed(5, '5'), { events: 1, heldBy: [] }, 'the newest stays')
    await db.close()
  })

  it('says of no reader that it holds what is not of its topics, unless it stands still for very many', async () => {
    const db = openSqlite({ file: newFile() })
    await append(db, event('rare', 1), ...Array.from({ length: 3 }, (_, n) => event('busy', n)))
    await db.execute('INSERT INTO event_subscriptions VALUES (?, ?)', 'group', 1)
    const heldBy = async (position: string) => {
      const topics = { group: ['rare'], tail: ['rare', 'other'] }
      return (await trimLog(db, { before: 1e9, tails: { tail: position }, topics })).heldBy
    }
    assert.deepEqual(await heldBy('1'), [])
    await append(db, event('rare', 2), event('busy', 3))
    assert.deepEqual(await heldBy('1'), ['group', 'tail'])
    assert.deepEqual(await heldBy('5'), ['group'])
    await db.execute('UPDATE event_subscriptions SET seq = 5')
    assert.deepEqual(await heldBy('1'), ['tail'])
    assert.deepEqual(await heldBy('5'), [])
    await append(db, ...Array.from({ length: 2001 }, (_, n) => event('busy', n)))
    assert.deepEqual(await heldBy('5'), ['group', 'tail'])
    await db.close()
  })

  it('finds a rare topic in a long log, and begins after what was trimmed', async () => {
    const db = openSqlite({ file: newFile() })
    const busy = Array.from({ length: 5000 }, (_, n) => event('busy', n))
    await append(db, ...busy, event('rare', 1))
    await db.trimEvents(2000)
    const log = sqliteEventLog(db)
    const stop = new AbortController()
    for await (const [found] of log.tail(['rare'], 'beginning', stop.signal)) {
      assert.equal(found?.position, '5001')
      break
    }
    await db.close()
  })

  it('tells how many events the groups that are read here have not looked at', async () => {
    const db = openSqlite({ file: newFile() })
    const log = sqliteEventLog(db)
    const stop = new AbortController()
    await append(db, ...[1, 2, 3].map(n => event('t', n)))
    const begun = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const handler = async () => {
      begun.resolve()
      await goOn.promise
    }
    const subscription = log.subscribe('g', ['t'], handler, stop.signal)
    await begun.promise
    assert.deepEqual([...log.groupsBehind()], [['g', 3]])
    goOn.resolve()
    while (log.groupsBehind().get('g') !== 0) await new Promise(resolve => setImmediate(resolve))
    await append(db, event('other', 1))
    assert.equal(log.groupsBehind().get('g'), 0, 'it is not woken for the topics of others')
    stop.abort()
    await subscription
    assert.equal(log.groupsBehind().size, 0)
    await db.close()
  })

  it('refuses what is no position', async () => {
    const db = openSqlite({ file: newFile() })
    await assert.rejects(sqliteEventLog(db).progress(['t'], 'x'), RangeError)
    assert.throws(() => sqliteEventLog(db).tail(['t'], '1; DROP', new AbortController().signal), RangeError)
    await db.close()
  })
})

interface Thing extends Document {}

function opened(file: string): OpenLog {
  const db = openSqlite({ file })
  return {
    log: sqliteEventLog(db),
    append: (...events) => append(db, ...events),
    async reopen() {
      await db.close()
      return opened(file)
    },
    close: () => db.close(),
  }
}

let things = 0
async function append(db: SqliteDatabase, ...events: OutboxEvent[]): Promise<void> {
  const collection = db.collection<Thing, never>({ name: 'things', indexes: {} })
  await collection.write({ kind: 'insert', document: { tenant: 't', id: `${++things}` }, events })
}

function counting(db: SqliteDatabase) {
  let listeners = 0
  const onAppended: SqliteDatabase['onAppended'] = listener => {
    const stop = db.onAppended(listener)
    listeners += 1
    return () => {
      listeners -= 1
      stop()
    }
  }
  const counted = Object.create(db, { onAppended: { value: onAppended } }) as SqliteDatabase
  return { db: counted, listeners: () => listeners }
}

const event = (topic: string, n: number): OutboxEvent => ({
  ...{ topic, key: 'k', id: `${topic}.${n}`, type: 'x', time: n, value: '{}' },
})
