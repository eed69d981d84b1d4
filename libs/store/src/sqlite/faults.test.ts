import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { describe, it } from 'node:test'
import { event, NOTES, type Note, newFile, readEvents } from './notes.fixture.ts'
import { openSqlite } from './sqlite.ts'

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

  it('is what a collection fails with for whose index there is no room, and it is made when there is', async () => {
    const db = openSqlite({ file: newFile() })
    const notes = db.collection<Note, 'by_text'>({ ...NOTES, indexes: { by_text: { fields: ['tenant'] } } })
    await notes.write({ kind: 'insert', document: { tenant: 't', id: '1', text: 'x' }, events: [] })
    // On a full disk SQLite undoes the whole transaction by itself, as this trigger does.
    await db.execute(
      "CREATE TRIGGER full BEFORE UPDATE ON notes BEGIN SELECT RAISE(ROLLBACK, 'database or disk is full'); END",
    )
    assert.throws(() => db.collection(NOTES), /database or disk is full/)
    await db.execute('DROP TRIGGER full')
    assert.equal(await db.collection<Note, 'by_text'>(NOTES).count('by_text', { equals: ['t', 'x'] }, 100), 1)
    await db.close()
  })
})

describe('sqlite: ping', () => {
  it('rejects from a write that failed until one is possible again', async () => {
    const db = openSqlite({ file: newFile() })
    const notes = db.collection<Note, 'by_text'>(NOTES)
    const write = (id: string) => notes.write({ kind: 'insert', document: { tenant: 't', id, text: id }, events: [] })
    await write('before')
    await db.ping()
    db.read('PRAGMA query_only = 1')
    await assert.rejects(write('lost'), /readonly/)
    for (const _ of [1, 2]) await assert.rejects(db.ping(), /readonly/)
    db.read('PRAGMA query_only = 0')
    await db.ping()
    await write('after')
    await db.close()
  })
})

const SQLITE = JSON.stringify(new URL('./sqlite.ts', import.meta.url).href)

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
