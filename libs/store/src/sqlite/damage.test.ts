/** A file whose pages are broken is not served from. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, openSync, writeSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { codeOf } from '@millhand/api'
import { createLog } from '@millhand/telemetry'
import { NOTES, type Note, newFile } from './notes.fixture.ts'
import { openSqlite, StoreDamaged, verifySqlite } from './sqlite.ts'

/** A store of notes that was closed. */
async function written(): Promise<string> {
  const file = newFile()
  const db = openSqlite({ file })
  const notes = db.collection<Note, 'by_text'>(NOTES)
  for (let n = 0; n < 50; n++) {
    await notes.write({ kind: 'insert', document: { tenant: 't', id: `${n}`, text: 'x'.repeat(900) }, events: [] })
  }
  await db.close()
  return file
}

/** Writes over the first page of a table or index. */
function breakPage(file: string, name: string): void {
  const db = new DatabaseSync(file, { readOnly: true })
  const { rootpage } = db.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(name) as { rootpage: number }
  const { page_size: size } = db.prepare('PRAGMA page_size').get() as { page_size: number }
  db.close()
  const raw = openSync(file, 'r+')
  writeSync(raw, Buffer.alloc(size, 0xa5), 0, size, (rootpage - 1) * size)
  closeSync(raw)
}

describe('sqlite: broken pages', { timeout: 120_000 }, () => {
  for (const name of ['notes', 'notes.primary', 'notes.by_text']) {
    it(`of ${name} are found beside serving after a clean stop, and every call is refused then`, async () => {
      const file = await written()
      breakPage(file, name)
      const found = Promise.withResolvers<string>()
      const log = createLog({ level: 'info', write: line => found.resolve(line) })
      const db = openSqlite({ file, log })
      await db.check()
      assert.match(await found.promise, /"event":"store.damaged".*restore it from a backup/)
      await assert.rejects(db.ping(), StoreDamaged)
      const notes = db.collection<Note, 'by_text'>(NOTES)
      const isUnavailable = (error: unknown) => codeOf(error) === 'unavailable'
      await assert.rejects(notes.get('t', 'none'), isUnavailable)
      await assert.rejects(notes.write({ kind: 'remove', version: 1, tenant: 't', id: '1', events: [] }), isUnavailable)
      await db.close()
    })
  }

  it('are found before serving after a stop that was not clean', async () => {
    const file = await written()
    // The broken page is in no frame of the log.
    const script = `
      import { openSqlite } from ${JSON.stringify(new URL('./sqlite.ts', import.meta.url).href)}
      const db = openSqlite({ file: process.argv[1] })
      await db.execute('DELETE FROM event_subscriptions')
      await db.execute("INSERT INTO event_subscriptions VALUES ('g', 1)")
      process.kill(process.pid, 'SIGKILL')`
    spawnSync(process.execPath, ['--input-type=module', '-e', script, file])
    breakPage(file, 'notes')
    const db = openSqlite({ file })
    await assert.rejects(db.check(), StoreDamaged)
    await db.close()
  })

  it('are found by the call that meets them', async () => {
    const file = await written()
    breakPage(file, 'notes')
    const db = openSqlite({ file })
    const notes = db.collection<Note, 'by_text'>(NOTES)
    await db.ping()
    await assert.rejects(notes.get('t', '1'), error => codeOf(error) === 'unavailable')
    await assert.rejects(db.ping(), StoreDamaged)
    await db.close()
  })

  it('are not ruled out by a check that did not come to its end', async () => {
    const findings = await verifySqlite(await written(), AbortSignal.abort())
    const problems = findings.flatMap(({ problems }) => problems)
    assert.match(problems.join(), /^the check did not come to its end: /)
  })

  it('are not seen where there are none', async () => {
    const db = openSqlite({ file: await written() })
    await db.check()
    await db.close()
  })
})
