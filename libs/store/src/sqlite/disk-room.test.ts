import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { codeOf, retryAfterOf } from '@millhand/api'
import { createLog } from '@millhand/telemetry'
import type { CollectionSpec } from '../collection.ts'
import { DiskRoom } from './disk-room.ts'
import { event, NOTES, type Note, newFile } from './notes.fixture.ts'
import { openSqlite } from './sqlite.ts'

const MIB = 2 ** 20

/** A disk of 1 GiB, of which `disk.free` bytes are free, and its room with a reserve of 1 MiB. */
async function open() {
  const file = newFile()
  const folder = dirname(file)
  await mkdir(folder)
  const disk = { free: 500 * MIB }
  const lines: string[] = []
  const log = createLog({ level: 'info', write: line => lines.push(JSON.parse(line).event) })
  const measure = async () => ({ free: disk.free, size: 1024 * MIB })
  const room = new DiskRoom({ folder, reserveBytes: MIB, log, measure })
  await room.look()
  const reserve = () => statSync(join(folder, 'reserve'), { throwIfNoEntry: false })?.size
  return { file, disk, room, lines, reserve }
}

describe('room on a disk', () => {
  it('keeps a reserve of bytes that no file system can leave out', async () => {
    const { file, room, reserve } = await open()
    assert.equal(room.isLow, false)
    assert.equal(reserve(), MIB)
    assert.ok(new Set(await readFile(join(dirname(file), 'reserve'))).size > 200)
  })

  it('is low under twice the reserve, and no more from thrice on', async () => {
    const { disk, room, lines } = await open()
    const at = async (mib: number) => {
      disk.free = mib * MIB
      await room.look()
      return room.isLow
    }
    assert.deepEqual(
      [await at(2), await at(1.9), await at(2.9), await at(3), await at(2.5)],
      [false, true, true, false, false],
    )
    assert.deepEqual(lines, ['disk.low', 'disk.has_room'])
  })

  it('keeps a reserve that can not be removed, as on a read-only disk', async () => {
    const { file, room } = await open()
    const path = join(dirname(file), 'reserve')
    // Of what a file system refuses, this can be had as any user.
    rmSync(path)
    mkdirSync(path)
    assert.equal(room.release(), false)
    assert.equal(room.isLow, false)
    rmdirSync(path)
    writeFileSync(path, '')
    assert.equal(room.release(), true)
  })

  it('gives the reserve away once, is low then, and makes it again when there is room', async () => {
    const { disk, room, reserve } = await open()
    assert.equal(room.release(), true)
    assert.equal(reserve(), undefined)
    assert.equal(room.isLow, true)
    assert.equal(room.release(), false)
    disk.free = 3.5 * MIB
    await room.look()
    assert.deepEqual([reserve(), room.isLow], [undefined, true])
    disk.free = 10 * MIB
    await room.look()
    assert.deepEqual([reserve(), room.isLow], [MIB, false])
  })

  it('is refused to contents earlier than to documents, also between two looks', async () => {
    const { disk, room } = await open()
    disk.free = 10 * MIB
    await room.look()
    room.takeForContents(3 * MIB)
    assert.throws(
      () => room.takeForContents(2 * MIB),
      error => codeOf(error) === 'unavailable' && retryAfterOf(error) === 10,
    )
    assert.equal(room.isLow, false)
  })
})

describe('sqlite: a nearly full disk', () => {
  const MADE = { ...NOTES, name: 'made', refusedWhenFull: true } as const satisfies CollectionSpec

  it('refuses what callers make, takes ends and removals, and is not ready until there is room', async () => {
    const { file, disk, room } = await open()
    const db = openSqlite({ file, room })
    const made = db.collection<Note, 'by_text'>(MADE)
    const insert = (id: string) =>
      made.write({ kind: 'insert', document: { tenant: 't', id, text: id }, events: [event(id, id)] })
    await insert('a')
    await insert('b')
    disk.free = MIB
    await room.look()
    await assert.rejects(insert('c'), error => codeOf(error) === 'unavailable' && retryAfterOf(error) === 10)
    await assert.rejects(db.ping(), /MiB left/)
    const ended = { tenant: 't', id: 'a', text: 'ended' }
    assert.equal(
      (await made.write({ kind: 'replace', version: 1, document: ended, events: [event('a', 'a2')] })).kind,
      'written',
    )
    assert.equal((await made.write({ kind: 'remove', version: 1, tenant: 't', id: 'b', events: [] })).kind, 'written')
    const others = db.collection<Note, 'by_text'>(NOTES)
    const note = { tenant: 't', id: 'n', text: 'of the service itself' }
    assert.equal((await others.write({ kind: 'insert', document: note, events: [] })).kind, 'written')
    disk.free = 500 * MIB
    await room.look()
    await db.ping()
    assert.equal((await insert('c')).kind, 'written')
    await db.close()
  })

  it('writes what the disk has refused once more, in the room of the reserve', async () => {
    const { file, room, reserve } = await open()
    const db = openSqlite({ file, room })
    const notes = db.collection<Note, 'by_text'>(NOTES)
    const insert = (id: string) =>
      notes.write({ kind: 'insert', document: { tenant: 't', id, text: id.padEnd(3000) }, events: [event(id, id)] })
    const pages = Number(db.read<[number]>('PRAGMA page_count')[0]?.[0])
    db.read(`PRAGMA max_page_count = ${pages + 2}`)
    // As with a real disk, room comes of what is released.
    const { release } = room
    room.release = () => {
      const isReleased = release.call(room)
      if (isReleased) db.read(`PRAGMA max_page_count = ${pages + 100}`)
      return isReleased
    }
    const ids = Array.from({ length: 20 }, (_, n) => String(n))
    await Promise.all(ids.map(insert))
    assert.equal(reserve(), undefined)
    assert.equal(await notes.count('primary', { equals: ['t'] }, 100), 20)
    db.read(`PRAGMA max_page_count = ${pages}`)
    const refused = await Promise.allSettled(Array.from({ length: 60 }, (_, n) => insert(`more ${n}`)))
    const codes = refused.map(result => (result.status === 'rejected' ? codeOf(result.reason) : 'written'))
    assert.ok(codes.includes('unavailable'), codes.join(' '))
    await db.close()
  })

  it('takes a write that fails by a limit for one on a full disk, as with a quota', () => {
    const file = newFile()
    // https://pubs.opengroup.org/onlinepubs/9799919799/utilities/ulimit.html: in units of 512 bytes.
    const shell = [
      '-c',
      'ulimit -f 2000 && exec "$0" "$@"',
      process.execPath,
      '--input-type=module',
      '-e',
      LIMITED,
      file,
    ]
    const { stdout, stderr } = spawnSync('sh', shell, { encoding: 'utf8' })
    assert.deepEqual(JSON.parse(stdout || 'null'), { isReleased: true, code: 'unavailable', retryAfterS: 10 }, stderr)
  })
})

const href = (name: string) => JSON.stringify(new URL(name, import.meta.url).href)

/** Writes until that fails. */
const LIMITED = `
  import { codeOf, retryAfterOf } from ${href('../../../api/src/index.ts')}
  import { openSqlite } from ${href('./sqlite.ts')}
  let isReleased = false
  const room = { isLow: false, release() { const was = isReleased; isReleased = true; return !was } }
  const notes = openSqlite({ file: process.argv[1], room }).collection(${JSON.stringify(NOTES)})
  try {
    for (let n = 0; ; n++) {
      const document = { tenant: 't', id: String(n), text: 'x'.repeat(9000) }
      await notes.write({ kind: 'insert', document, events: [] })
    }
  } catch (error) {
    process.stdout.write(JSON.stringify({ isReleased, code: codeOf(error), retryAfterS: retryAfterOf(error) }))
    process.kill(process.pid, 'SIGKILL')
  }`
