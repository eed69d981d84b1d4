/** In a file, and so a process, of its own: what other tests have left free would hide what is taken here. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import { heldMemory, MIB } from '@millhand/blob/held-memory'
import { systemClock as clock } from '@millhand/process'
import { openSqlite } from '@millhand/store/sqlite'
import { fileCollections } from './file-service.ts'
import { as, described, openService, type Part, upload } from './files.fixture.ts'

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
  const { look, check } = heldMemory(t, 32)

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
