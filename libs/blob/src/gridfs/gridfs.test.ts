import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { systemClock } from '@millhand/process'
import { type Mongo, mongoMissing, startMongo } from '@millhand/test-servers'
import type { Binary } from 'mongodb'
import { describeBlobs, type OpenBlobs } from '../blobs.contract.ts'
import { BlobTooLarge } from '../blobs.ts'
import {
  assertNothingLeft,
  chunkCount,
  HOUR,
  keys,
  MIB,
  MINUTE,
  never,
  openBlobs,
  read,
  recordOf,
  sha256,
  until,
} from './gridfs.fixture.ts'
import { gridfsBlobs } from './gridfs.ts'

describe('GridFS', { skip: mongoMissing }, () => {
  let folder: string
  let server: Mongo
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gridfs-'))
    server = await startMongo({ dataDir: folder })
  })
  after(async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  })

  describeBlobs('GridFS', async () => opened(server.url()))

  it('reads of a range only the chunks that it needs', async t => {
    const { blobs, db } = openBlobs(t, server.url())
    const contents = randomBytes(3 * MIB + 7)
    const put = await blobs.put('k', inParts(contents, 100_000))
    assert.deepEqual(put, { size: contents.length, sha256: sha256(contents) })
    assert.equal(sha256(await read(blobs, 'k')), put.sha256)

    const chunks = db.collection<{ n: number; data: Binary }>('blobs.chunks')
    const length = (await chunks.findOne({ n: 0 }))?.data.length() ?? 0
    assert.ok(length >= 255 * 1024 && length <= MIB)
    await chunks.deleteMany({ n: { $nin: [1, 2] } })
    for (const [start, end] of [
      [length, 3 * length - 1],
      [length, length],
      [2 * length - 5, 2 * length + 4],
    ] as const) {
      assert.ok((await read(blobs, 'k', { start, end })).equals(contents.subarray(start, end + 1)))
    }
    await assert.rejects(read(blobs, 'k', { start: length - 1, end: length }), /chunk 0/)
  })

  it('lists more than it asks for at once', async t => {
    const { blobs, db } = openBlobs(t, server.url())
    const current = { file: null, size: 0, chunk_size: 1, sha256: '', written_at: new Date(5) }
    const names = Array.from({ length: 1_001 }, (_, n) => `p/${n}`)
    const records = names.map(_id => ({ _id, current, uploads: [], garbage: [] }))
    await db.collection<{ _id: string }>('blobs.keys').insertMany(records)
    assert.deepEqual(await keys(blobs, 'p/'), names.sort())
  })

  it('ends with one whole of twenty puts at once, and sweeps the others', async t => {
    const { blobs, db, clock } = openBlobs(t, server.url('twenty'))
    const others = [1, 2].map(() => gridfsBlobs({ url: server.url('twenty'), clock }))
    t.after(() => Promise.all(others.map(other => other.close())))
    const writers = [blobs, ...others]
    const contents = Array.from({ length: 20 }, () => randomBytes(600_000))
    const puts = contents.map((content, n) => writers[n % 3]?.put('k', inParts(content, 50_000 + 9_000 * n)))
    const hashes = contents.map(sha256)
    assert.deepEqual(
      (await Promise.all(puts)).map(put => put?.sha256),
      hashes,
    )
    const hash = sha256(await read(blobs, 'k'))
    assert.ok(hashes.includes(hash))
    assert.equal((await recordOf(db, 'k'))?.current?.sha256, hash)
    await clock.advance(HOUR + 1)
    await Promise.all(writers.map(writer => writer.sweep(never)))
    assert.equal(sha256(await read(blobs, 'k')), hash)
    assert.equal(await chunkCount(db), 2)
  })

  it('ends whole or empty when puts and deletes of a key meet, and loses track of nothing', async t => {
    const { blobs, db, clock } = openBlobs(t, server.url())
    const putOrDelete = (n: number) => (n % 2 ? blobs.delete('k') : blobs.put('k', Buffer.alloc(1_000, n)))
    await Promise.all(Array.from({ length: 20 }, (_, n) => putOrDelete(n)))
    const found = await blobs.get('k')
    if (found) assert.equal(new Set(await buffer(found)).size, 1)
    await blobs.delete('k')
    await clock.advance(HOUR + 1)
    await blobs.sweep(never)
    await assertNothingLeft(db)
  })

  it('lets a reader go on for an hour after its key was replaced and deleted, and never cuts it short', async t => {
    const { blobs, db, clock } = openBlobs(t, server.url())
    const old = randomBytes(4 * MIB)
    await blobs.put('k', old)
    const reading = await blobs.get('k')
    const late = await blobs.get('k')
    assert.ok(reading && late)
    const first: Buffer = (await reading.iterator({ destroyOnReturn: false }).next()).value
    await blobs.put('k', Buffer.from('new'))
    await blobs.sweep(never)
    await clock.advance(30 * MINUTE)
    await blobs.delete('k')
    await clock.advance(29 * MINUTE)
    await blobs.sweep(never)
    assert.ok(Buffer.concat([first, await buffer(reading)]).equals(old))
    await clock.advance(2 * MINUTE)
    await blobs.sweep(never)
    await assert.rejects(buffer(late), /replaced or deleted/)
    assert.equal(await chunkCount(db), 1)
    await clock.advance(HOUR)
    await blobs.sweep(never)
    await assertNothingLeft(db)
  })

  it('sweeps nothing that is alive', async t => {
    const { blobs, db, clock } = openBlobs(t, server.url())
    await blobs.put('kept', Buffer.from('kept'))
    const slow = new PassThrough()
    const putting = blobs.put('slow', slow)
    slow.write(Buffer.alloc(MIB, 'a'))
    await until(async () => (await chunkCount(db)) === 3)
    // Nothing comes for over a day, but the upload says by itself that it goes on.
    const sweepAt = async () => (await recordOf(db, 'slow'))?.uploads[0]?.sweep_at.getTime() ?? 0
    const begun = clock.now()
    while (clock.now() < begun + 30 * HOUR) {
      const before = await sweepAt()
      await until(async () => {
        await clock.advance(10 * MINUTE)
        return (await sweepAt()) > before
      })
    }
    await blobs.sweep(never)
    slow.end('end')
    assert.equal((await putting).size, MIB + 3)
    await blobs.sweep(never)
    assert.equal((await read(blobs, 'slow')).length, MIB + 3)
    assert.equal((await read(blobs, 'kept')).toString(), 'kept')
  })

  it('stops a sweep when its signal ends', async t => {
    const { blobs } = openBlobs(t, server.url())
    const reason = new Error('stopped')
    await assert.rejects(blobs.sweep(AbortSignal.abort(reason)), reason)
  })

  it('refuses what is too large before a whole chunk has come', async t => {
    const { blobs, db } = openBlobs(t, server.url())
    const slow = new PassThrough()
    slow.write('12345')
    await assert.rejects(blobs.put('k', slow, { maxBytes: 4 }), BlobTooLarge)
    await assert.rejects(blobs.put('k', Buffer.alloc(MIB), { maxBytes: MIB - 1 }), BlobTooLarge)
    assert.equal(slow.destroyed, false)
    assert.equal(await chunkCount(db), 0)
  })
})

function opened(url: string): OpenBlobs {
  const blobs = gridfsBlobs({ url, clock: systemClock })
  return {
    blobs,
    async reopen() {
      await blobs.close()
      return opened(url)
    },
    close: () => blobs.close(),
  }
}

function inParts(contents: Buffer, length: number): Readable {
  const parts: Buffer[] = []
  for (let at = 0; at < contents.length; at += length) parts.push(contents.subarray(at, at + length))
  return Readable.from(parts, { objectMode: false })
}
