import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, it } from 'node:test'
import { describeCollection, type OpenStore } from '../collection.contract.ts'
import type { CollectionSpec, Document, OutboxEvent } from '../collection.ts'
import { openSqlite, type SqliteDatabase, StoreClosed, StoreInUse } from './sqlite.ts'

const folder = await mkdtemp(join(tmpdir(), 'store-'))
after(() => rm(folder, { recursive: true, force: true }))
let files = 0
const newFile = () => join(folder, `${++files}`, 'store.db')

describeCollection('sqlite', async () => opened(newFile()))

interface Note extends Document {
  readonly text: string
}
const NOTES = { name: 'notes', indexes: { by_text: { fields: ['tenant', 'text'] } } } as const satisfies CollectionSpec

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
    for (const _ of [1, 2]) assert.throws(() => openSqlite({ file }), /schema version 99; this program knows 1/)
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

describe('sqlite: kill -9', () => {
  it('loses nothing that was answered, and documents agree with events', async () => {
    const file = newFile()
    const answered = new Map<string, number>()
    for (const lines of [60, 250, 600, 1500]) {
      const writer = spawn(process.execPath, ['--input-type=module', '-e', WRITER, file, `${lines}`], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      let left = lines
      for await (const line of createInterface(writer.stdout)) {
        const [id = '', version] = line.split(' ')
        answered.set(id, Number(version))
        if (--left === 0) writer.kill('SIGKILL')
      }
    }
    const db = openSqlite({ file })
    const documents = await db.collection<Note, 'by_text'>(NOTES).find('primary', { equals: [], limit: 10_000 })
    const events = Map.groupBy(readEvents(db), ({ key }) => key)
    assert.ok(answered.size > 50)
    const versions = new Map(documents.map(({ id, version }) => [id, version]))
    for (const [id, version] of answered) assert.ok((versions.get(id) ?? 0) >= version, `${id} version ${version}`)
    for (const [id, version] of versions) {
      assert.deepEqual(
        events.get(id)?.map(event => event.id),
        Array.from({ length: version }, (_, i) => `${id}.${i + 1}`),
      )
    }
    assert.equal(events.size, versions.size)
    await db.close()
  })
})

describe('sqlite: a full disk', () => {
  it('rejects what does not fit, keeps what did, and goes on when there is room', async () => {
    const db = openSqlite({ file: newFile() })
    const notes = db.collection<Note, 'by_text'>(NOTES)
    db.read('PRAGMA max_page_count = 60')
    const write = (id: string) =>
      notes.write({ kind: 'insert', document: { tenant: 't', id, text: id.padEnd(2000) }, events: [event(id, id)] })
    const kept: string[] = []
    let failure: unknown
    for (let n = 0; failure === undefined; n++) {
      const ids = Array.from({ length: 8 }, (_, i) => `${n}.${i}`)
      const results = await Promise.allSettled(ids.map(write))
      failure = results.find(({ status }) => status === 'rejected')
      if (failure === undefined) kept.push(...ids)
      else assert.ok(results.every(({ status }) => status === 'rejected'))
    }
    const there = async () => (await notes.find('primary', { equals: ['t'], limit: 10_000 })).map(({ id }) => id).sort()
    assert.deepEqual(await there(), kept.sort())
    assert.deepEqual(
      readEvents(db)
        .map(({ key }) => key)
        .sort(),
      kept,
    )
    db.read('PRAGMA max_page_count = 100000')
    await write('room')
    assert.deepEqual(await there(), [...kept, 'room'].sort())
    assert.equal(db.lastEvent, kept.length + 1)
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
    assert.equal(await db.trimEvents(2500), 1)
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
  it('tells each commit with events, once, with its topics, until it is stopped', async () => {
    const db = openSqlite({ file: newFile() })
    const heard: string[][] = []
    const stop = db.onAppended(topics => heard.push([...topics]))
    await insert(db, 'a', 1, 1)
    await insert(db, 'b')
    await insert(db, 'a', 1).catch(() => {})
    stop()
    await insert(db, 'c', 1)
    assert.deepEqual(heard, [['notes.v1']])
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

function readEvents(db: SqliteDatabase): OutboxEvent[] {
  const rows = db.read<[string, string, string, string, number, string, string | null]>(
    'SELECT topic, key, id, type, time, value, traceparent FROM event_log ORDER BY seq',
  )
  return rows.map(([topic, key, id, type, time, value, traceparent]) => ({
    ...{ topic, key, id, type, time, value },
    ...(traceparent !== null && { traceparent }),
  }))
}

/** Inserts a note with one event for each of the times. */
async function insert(db: SqliteDatabase, id: string, ...times: number[]): Promise<void> {
  const events = times.map((time, i) => ({ ...event(id, `${id}.${i}`), time }))
  await db
    .collection<Note, 'by_text'>(NOTES)
    .write({ kind: 'insert', document: { tenant: 't', id, text: 'x' }, events })
}

const event = (key: string, id: string): OutboxEvent => ({
  topic: 'notes.v1',
  key,
  id,
  type: 'note',
  time: 1,
  value: '{}',
})

const SQLITE = JSON.stringify(new URL('./sqlite.ts', import.meta.url).href)

const OPENER = `
  import { openSqlite } from ${SQLITE}
  try { openSqlite({ file: process.argv[1] }) } catch (error) { console.log(error.message) }`

/** Sixteen loops insert and replace notes, and print each answer as "id version". */
const WRITER = `
  import { writeSync } from 'node:fs'
  import { openSqlite } from ${SQLITE}
  const [, file, round] = process.argv
  const notes = openSqlite({ file }).collection(${JSON.stringify(NOTES)})
  const event = (id, version) => ({ topic: 'notes.v1', key: id, id: id + '.' + version, type: 'n', time: 1, value: '{}' })
  const loop = async lane => {
    for (let n = 0; ; n++) {
      const document = { tenant: 't', id: [round, lane, n].join('.'), text: 'x'.repeat(500) }
      await notes.write({ kind: 'insert', document, events: [event(document.id, 1)] })
      writeSync(1, document.id + ' 1\\n')
      await notes.write({ kind: 'replace', version: 1, document, events: [event(document.id, 2)] })
      writeSync(1, document.id + ' 2\\n')
    }
  }
  for (let lane = 0; lane < 16; lane++) loop(lane)`
