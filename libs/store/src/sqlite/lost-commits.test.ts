/** Answered commits that the write-ahead log has lost are found at the next start. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, it } from 'node:test'
import { crc32 } from 'node:zlib'
import { markFile } from './commit-mark.ts'
import { NOTES, type Note, newFile } from './notes.fixture.ts'
import { openSqlite, StoreDamaged } from './sqlite.ts'

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
  mark.writeUInt32BE(crc32(mark.subarray(0, 16)), 16)
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
      error => error instanceof StoreDamaged && /-wal is of an earlier time/.test(error.message),
    )
    setMark(newer, salt => salt - 1)
    assert.equal(await notesIn(newer), 60)
  })

  it('may end in the middle of a commit that was not answered', async () => {
    const file = killed()
    const log = readFileSync(`${file}-wal`)
    writeFileSync(`${file}-wal`, Buffer.concat([log, Buffer.alloc(5000, 7)]))
    assert.equal(await notesIn(file), 60)
  })
})

const SQLITE = JSON.stringify(new URL('./sqlite.ts', import.meta.url).href)

const WRITER = `
  import { openSqlite } from ${SQLITE}
  const notes = openSqlite({ file: process.argv[1] }).collection(${JSON.stringify(NOTES)})
  for (let n = 0; n < 60; n++) {
    await notes.write({ kind: 'insert', document: { tenant: 't', id: String(n), text: 'x'.repeat(500) }, events: [] })
  }
  process.kill(process.pid, 'SIGKILL')`
