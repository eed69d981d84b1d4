import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { describeCollection, type OpenStore } from '../collection.contract.ts'
import { insert, NOTES, type Note, newFile, readEvents } from './notes.fixture.ts'
import { openSqlite, StoreClosed, StoreInUse } from './sqlite.ts'
import { countSql } from './sqlite-collection.ts'

describeCollection('sqlite', async () => opened(newFile()))

describe('sqlite: the file', () => {
  it('is refused to a second opener, and free after close', async () => {
    const file = newFile()
    const first = openSqlite({ file })
    assert.throws(() => openSqlite({ file }), StoreInUse)
    const other = spawn(process.execPath, ['--input-type=module', '-e', OPENER, file], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = await once(createInterface(other.stdout), 'line')
    assert.match(line, /store\.db is in use by another running process/)
    await first.close()
    await openSqlite({ file }).close()
  })

  it('is one plain file after close, which other tools can read', async () => {
    const file = newFile()
    const db = openSqlite({ file })
    await insert(db, 'a')
    await Promise.all([db.close(), db.close()])
    assert.equal(existsSync(`${file}-wal`), false)
    const tool = new DatabaseSync(file, { readOnly: true })
    assert.equal(tool.prepare('SELECT body FROM notes').get()?.body, '{"tenant":"t","id":"a","text":"x"}')
    tool.close()
  })

  it('is refused when a newer version wrote it, and then not kept locked', async () => {
    const file = newFile()
    await openSqlite({ file }).close()
    const tool = new DatabaseSync(file)
    tool.exec('PRAGMA user_version = 99')
    for (const _ of [1, 2]) assert.throws(() => openSqlite({ file }), /schema version 99; this program knows 2/)
    tool.close()
  })

  it('follows a spec whose indexes change', async () => {
    const file = newFile()
    const db = openSqlite({ file })
    await insert(db, 'a')
    db.collection({
      name: 'notes',
      indexes: { by_text: { fields: ['text'], unique: true }, more: { fields: ['id', 'text'] } },
    })
    const names = () =>
      db.read('SELECT name FROM sqlite_schema WHERE tbl_name = ? AND type = ?', 'notes', 'index').flat()
    assert.deepEqual(names().sort(), ['notes.by_text', 'notes.more', 'notes.primary'])
    db.collection({ name: 'notes', indexes: {} })
    assert.deepEqual(names(), ['notes.primary'])
    await db.close()
  })

  it('answers from the named index, never by a scan or a sort', async () => {
    const db = openSqlite({ file: newFile() })
    db.collection<Note, 'by_text'>(NOTES)
    const sql = `EXPLAIN QUERY PLAN SELECT body FROM notes INDEXED BY "notes.by_text"
      WHERE tenant = 't' AND (text, id) > ('a', 'b') ORDER BY text DESC, id DESC`
    const plan = db.read(sql).map(row => row[3])
    assert.deepEqual(plan, ['SEARCH notes USING INDEX notes.by_text (tenant=? AND (text,id)>(?,?))'])
    await db.close()
  })

  it('counts without the table, a partial index too', async () => {
    const db = openSqlite({ file: newFile() })
    const waiting = { fields: ['due'], when: { field: 'state', in: ['waits', 'rests'] } }
    db.collection({ name: 'jobs', indexes: { waiting } })
    const plan = db.read(`EXPLAIN QUERY PLAN ${countSql('jobs', 'waiting', waiting, { equals: [1] })}`, 1, 9)
    assert.match(plan.map(row => row[3]).join(), /SEARCH jobs USING COVERING INDEX jobs\.waiting \(due=\?\)/)
    await db.close()
  })

  it('refuses names that are its own', async () => {
    const db = openSqlite({ file: newFile() })
    assert.throws(() => db.collection({ name: 'event_log', indexes: {} }), /can't be named event_log/)
    assert.throws(() => db.collection({ name: 'x', indexes: { y: { fields: ['body'] } } }), /body can't be indexed/)
    await db.close()
    assert.throws(() => db.collection({ name: 'x', indexes: {} }))
    await assert.rejects(db.execute('DELETE FROM event_log'), StoreClosed)
  })

  it('keeps its write-ahead log short while writes go on', async () => {
    const file = newFile()
    const db = openSqlite({ file })
    const notes = db.collection<Note, 'by_text'>(NOTES)
    const text = 'x'.repeat(20_000)
    for (let group = 0; group < 40; group++) {
      const ids = Array.from({ length: 100 }, (_, i) => `${group}.${i}`)
      await Promise.all(
        ids.map(id =>
          notes.write({ kind: 'insert', document: { tenant: 't', id, text: id, body: text } as never, events: [] }),
        ),
      )
    }
    const size = statSync(`${file}-wal`).size
    assert.ok(size < 50e6, `${size} bytes after writing 80 MB`)
    await db.close()
  })
})

describe('sqlite: trimEvents', () => {
  it('deletes what is old and behind every group, never the newest, and reuses no seq', async () => {
    const file = newFile()
    let db = openSqlite({ file })
    for (let n = 1; n <= 4; n++) await insert(db, `${n}`, n * 1000)
    await db.execute('INSERT INTO event_subscriptions VALUES (?, 1), (?, 3)', 'slow', 'fast')
    const left = () => readEvents(db).map(({ key }) => key)

    assert.equal(await db.trimEvents(2500), 1)
    assert.deepEqual(left(), ['2', '3', '4'])
    await db.execute('UPDATE event_subscriptions SET seq = 4')
    assert.equal(await db.trimEvents(2500, 1), 0)
    assert.equal(await db.trimEvents(2500, 2), 1)
    assert.deepEqual(left(), ['3', '4'])
    assert.equal(await db.trimEvents(1e9), 1)
    assert.deepEqual(left(), ['4'])

    await db.close()
    db = openSqlite({ file })
    await insert(db, '5', 1)
    assert.equal(db.lastEvent, 5)
    await db.close()
  })

  it('takes as many steps as it needs', async () => {
    const db = openSqlite({ file: newFile() })
    await insert(db, 'a', ...Array.from({ length: 1201 }, () => 1))
    assert.equal(await db.trimEvents(2), 1200)
    await db.close()
  })
})

describe('sqlite: onAppended', () => {
  it('tells each commit with events, once, with these, until it is stopped', async () => {
    const db = openSqlite({ file: newFile() })
    const heard: string[][] = []
    const stop = db.onAppended(events => heard.push(events.map(({ topic, tenant }) => `${topic} ${tenant}`)))
    await insert(db, 'a', 1, 1)
    await insert(db, 'b')
    await insert(db, 'a', 1).catch(() => {})
    stop()
    await insert(db, 'c', 1)
    assert.deepEqual(heard, [['notes.v1 t', 'notes.v1 t']])
    await db.close()
  })
})

function opened(file: string): OpenStore {
  const db = openSqlite({ file })
  return {
    collection: spec => db.collection(spec),
    readEvents: async () => readEvents(db),
    async reopen() {
      await db.close()
      return opened(file)
    },
    close: () => db.close(),
  }
}

const SQLITE = JSON.stringify(new URL('./sqlite.ts', import.meta.url).href)

const OPENER = `
  import { openSqlite } from ${SQLITE}
  try { openSqlite({ file: process.argv[1] }) } catch (error) { console.log(error.message) }`
