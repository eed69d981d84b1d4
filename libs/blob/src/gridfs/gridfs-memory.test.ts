/** In a file, and so a process, of its own: what other tests have left free would hide what is taken here. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { it } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { javaMissing, startMongo } from '@millhand/test-servers'
import { MIB, never, openBlobs } from './gridfs.fixture.ts'

it('GridFS: Blobs hold less than 16 MiB of 32 MiB that they put or get', { skip: javaMissing }, async t => {
  const folder = await mkdtemp(join(tmpdir(), 'gridfs-memory-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  await using server = await startMongo({ dataDir: folder })
  const { blobs } = openBlobs(t, server.url())
  await blobs.put('warm', Buffer.from('x'))

  // The driver copies each chunk twice, and Node collects that tens of MiB late, whatever is put.
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc')
  const resident = () => {
    for (let twice = 0; twice < 2; twice++) collect()
    return process.memoryUsage.rss()
  }
  let most = 0
  const look = () => {
    most = Math.max(most, resident())
  }
  async function* contents() {
    for (let n = 0; n < 32; n++) {
      for (let part = 0; part < 16; part++) yield Buffer.alloc(MIB / 16, n)
      if (n % 2 === 1) look()
    }
  }
  const before = resident()
  const check = (what: string) => {
    const more = (most - before) / MIB
    t.diagnostic(`${what}: ${more.toFixed(1)} MiB`)
    assert.ok(more < 16, `${what}: ${more} MiB`)
  }
  await blobs.put('k', Readable.from(contents()), { signal: never })
  check('put')
  let bytes = 0
  for await (const part of (await blobs.get('k')) ?? []) {
    bytes += part.length
    if (bytes % (2 * MIB) === 0) look()
  }
  assert.equal(bytes, 32 * MIB)
  check('get')
  await blobs.close()
})
