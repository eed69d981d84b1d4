/** In a file, and so a process, of its own: what other tests have left free would hide what is taken here. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import { systemClock as clock } from '@millhand/runner'
import { openSqlite } from '@millhand/store/sqlite'
import { fileCollections } from './file-service.ts'
import { as, described, openService, type Part, upload } from './files.fixture.ts'

const MIB = 2 ** 20

it('an upload and a download of 256 MiB hold less than 32 MiB', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-files-memory-'))
  const db = openSqlite({ file: join(folder, 'millhand.db') })
  t.after(async () => {
    await db.close()
    await rm(folder, { recursive: true })
  })
  const stores = { ...fileCollections(db), blobs: await filesystemBlobs(join(folder, 'blobs')) }
  const service = openService(stores, clock)
  const caller = as('acct_a')
  await upload(service, caller, 'warm')

  // Node collects tens of MiB late: here only what is held counts.
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc')
  const resident = () => {
    for (let twice = 0; twice < 2; twice++) collect()
    return process.memoryUsage.rss()
  }
  const before = resident()
  let most = before
  const look = () => {
    most = Math.max(most, resident())
  }
  const check = (what: string) => {
    const more = (most - before) / MIB
    t.diagnostic(`${what}: ${more.toFixed(1)} MiB`)
    assert.ok(more < 32, `${what}: ${more} MiB`)
  }

  async function* parts(mib: number): AsyncGenerator<Part> {
    yield described()
    for (let n = 0; n < mib; n++) {
      for (let part = 0; part < 16; part++) yield { part: { case: 'data', value: Buffer.alloc(MIB / 16, n) } }
      if (n % 8 === 0) look()
    }
  }
  const { id, bytes } = await service.client.uploadFile(parts(256), caller)
  assert.equal(bytes, 256 * MIB)
  check('upload')
  let read = 0
  for await (const { part } of service.client.getFileContent({ id }, caller)) {
    if (part.case !== 'data') continue
    read += part.value.length
    if (read % (8 * MIB) === 0) look()
  }
  assert.equal(read, 256 * MIB)
  check('download')
})
