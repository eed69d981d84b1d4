/** Answered commits that the write-ahead log has lost are found at the next start. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import fs, { cpSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { crc32 } from 'node:zlib'
import { markFile } from './commit-mark.ts'
import { NOTES, type Note, newFile } from './notes.fixture.ts'
import { openSqlite, StoreDamaged, StoreVersionMismatch } from './sqlite.ts'

let original: string | undefined

/** A copy of a store of sixty answered notes whose process was killed. */
function killed(): string {
  original ??= writtenAndKilled()
  const file = newFile()
  cpSync(dirname(original), dirname(file), { recursive: true })
  return file
}

function writtenAndKilled(): string {
  const file = newFile()
  const { status, signal, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', WRITER, file])
  assert.deepEqual([status, signal], [null, 'SIGKILL'], String(stderr))
  return file
}

async function notesIn(file: string): Promise<number> {
  const db = openSqlite({ file })
  try {
    return await db.collection<Note, 'by_text'>(NOTES).count('primary', { equals: ['t'] }, 100)
  } finally {
    await db.close()
  }
}

function flip(file: string, at: number): void {
  const bytes = readFileSync(file)
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
  writeFileSync(file, bytes)
}

/** Changes the first salt of a store's mark. */
function setMark(file: string, change: (salt: number) => number): void {
  const mark = readFileSync(markFile(file))
  mark.writeUInt32BE(change(mark.readUInt32BE(4)) >>> 0, 4)
  mark.writeUInt32BE(crc32(mark.subarray(0, -4)), mark.length - 4)
  writeFileSync(markFile(file), mark)
}

describe('a write-ahead log after kill -9', () => {
  it('is taken as it is where nothing happened to it, once and again', async () => {
    const file = killed()
    assert.equal(await notesIn(file), 60)
    assert.equal(existsSync(`${file}-wal`), false)
    assert.equal(await notesIn(file), 60)
  })

  const damages: Record<string, (log: string) => void> = {
    'has a flipped byte in its middle': log => flip(log, Math.floor(readFileSync(log).length / 2)),
    'has a flipped byte in its header': log => flip(log, 17),
    'has a flipped byte in its first page': log => flip(log, 100),
    'has lost its second half': log => truncateSync(log, Math.floor(readFileSync(log).length / 2)),
    'has lost its last byte': log => truncateSync(log, readFileSync(log).length - 1),
    'is empty': log => truncateSync(log, 0),
    'is gone': log => rmSync(log),
    'is of another store': log => {
      const mark = readFileSync(markFile(log.slice(0, -4)))
      mark.writeUInt32BE((mark.readUInt32BE(4) - 2 ** 30) >>> 0, 4)
      mark.writeUInt32BE(crc32(mark.subarray(0, -4)), mark.length - 4)
      writeFileSync(markFile(log.slice(0, -4)), mark)
    },
  }
  for (const [what, damage] of Object.entries(damages)) {
    it(`is refused where it ${what}, at each start, and is left as it is`, async () => {
      const file = killed()
      damage(`${file}-wal`)
      const before = existsSync(`${file}-wal`) ? readFileSync(`${file}-wal`) : undefined
      for (let times = 0; times < 2; times++) {
        assert.throws(
          () => openSqlite({ file }),
          error =>
            error instanceof StoreDamaged &&
            /-wal .*commits/.test(error.message) &&
            /restore it from a backup/.test(error.message),
        )
      }
      assert.deepEqual(existsSync(`${file}-wal`) ? readFileSync(`${file}-wal`) : undefined, before)
      // The operator accepts the loss.
      rmSync(markFile(file))
      await openSqlite({ file }).close()
    })
  }

  it('is refused where it is older than the last commits, and taken where it has begun anew since', async () => {
    const [older, newer] = [killed(), killed()]
    // Each time that the log begins anew its first salt is one more.
    setMark(older, salt => salt + 1)
    assert.throws(
      () => openSqlite({ file: older }),
      error => error instanceof StoreDamaged && /-wal is of another time/.test(error.message),
    )
    setMark(newer, salt => salt - 1)
    assert.equal(await notesIn(newer), 60)
  })

  it('is synced before anybody reads from it', async t => {
    const file = killed()
    const synced = new Set<number>()
    const { fdatasyncSync: sync } = fs
    t.mock.method(fs, 'fdatasyncSync', (fd: number) => {
      sync(fd)
      synced.add(fs.fstatSync(fd).ino)
    })
    syncBuiltinESMExports()
    t.after(() => {
      t.mock.restoreAll()
      syncBuiltinESMExports()
    })
    const db = openSqlite({ file })
    assert.ok(synced.has(fs.statSync(`${file}-wal`).ino))
    await db.close()
  })

  it('may end in the middle of a commit that was not answered', async () => {
    const file = killed()
    const log = readFileSync(`${file}-wal`)
    writeFileSync(`${file}-wal`, Buffer.concat([log, Buffer.alloc(5000, 7)]))
    assert.equal(await notesIn(file), 60)
  })

  it('may be gone where another program has copied it into the database', async () => {
    const file = killed()
    const program = new DatabaseSync(file)
    assert.equal(program.prepare('SELECT count(*) AS n FROM notes').get()?.n, 60)
    program.close()
    assert.equal(existsSync(`${file}-wal`), false)
    assert.equal(await notesIn(file), 60)
  })

  it('may be gone after a start that failed', async () => {
    const file = killed()
    setVersion(file, 9)
    for (let times = 0; times < 2; times++) assert.throws(() => openSqlite({ file }), StoreVersionMismatch)
    setVersion(file, 2)
    assert.equal(await notesIn(file), 60)
  })
})

describe('a database that was in use', () => {
  const damages: [string, string, (file: string) => void][] = [
    ['is gone', 'a clean stop', file => rmSync(file)],
    ['is gone', 'kill -9', file => rmSync(file)],
    ['is empty', 'a clean stop', file => truncateSync(file)],
    ['is empty', 'kill -9', file => truncateSync(file)],
    ['is cut', 'a clean stop', file => truncateSync(file, 8192)],
    ['has a broken first page', 'a clean stop', file => writeFileSync(file, Buffer.alloc(8192, 7), { flag: 'r+' })],
  ]
  for (const [what, stop, damage] of damages) {
    it(`is refused where it ${what} after ${stop}, and its log is kept`, async () => {
      const file = killed()
      if (stop === 'a clean stop') assert.equal(await notesIn(file), 60)
      damage(file)
      const hasLog = existsSync(`${file}-wal`)
      for (let times = 0; times < 2; times++) assert.throws(() => openSqlite({ file }), StoreDamaged)
      assert.equal(existsSync(`${file}-wal`), hasLog)
    })
  }
})

describe('a mark that promises nothing any more', () => {
  /** Whether the log is there, at each time that the file's mark is synced. */
  function syncs(t: TestContext, file: string): boolean[] {
    const hasLog: boolean[] = []
    const { writeFileSync: write } = fs
    t.mock.method(fs, 'writeFileSync', (...words: Parameters<typeof write>) => {
      const [path, , options] = words
      if (path === markFile(file) && (options as { flush?: boolean }).flush) hasLog.push(existsSync(`${file}-wal`))
      write(...words)
    })
    syncBuiltinESMExports()
    t.after(() => {
      t.mock.restoreAll()
      syncBuiltinESMExports()
    })
    return hasLog
  }

  it('is cleared on the disk by a clean stop, before the log is removed', async t => {
    const file = killed()
    const hasLog = syncs(t, file)
    assert.equal(await notesIn(file), 60)
    assert.equal(existsSync(`${file}-wal`), false)
    assert.deepEqual(hasLog, [true])
  })

  it('is cleared on the disk by a start whose log is gone, before a new one begins', async t => {
    const file = killed()
    const program = new DatabaseSync(file)
    program.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    program.close()
    const hasLog = syncs(t, file)
    const db = openSqlite({ file })
    assert.deepEqual(hasLog, [false])
    await db.close()
  })
})

/** As another version of Millhand leaves it. */
function setVersion(file: string, version: number): void {
  const program = new DatabaseSync(file)
  // A reader that is open keeps the log from being removed.
  const reader = new DatabaseSync(file, { readOnly: true })
  reader.prepare('SELECT count(*) FROM notes').get()
  program.exec(`PRAGMA user_version = ${version}`)
  program.close()
  reader.close()
}

const SQLITE = JSON.stringify(new URL('./sqlite.ts', import.meta.url).href)

const WRITER = `
  import { openSqlite } from ${SQLITE}
  const notes = openSqlite({ file: process.argv[1] }).collection(${JSON.stringify(NOTES)})
  for (let n = 0; n < 60; n++) {
    await notes.write({ kind: 'insert', document: { tenant: 't', id: String(n), text: 'x'.repeat(500) }, events: [] })
  }
  process.kill(process.pid, 'SIGKILL')`
