import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { mongoMissing, startMongo } from '@millhand/test-servers'
import { checkMemory } from '../memory.contract.ts'
import { openBlobs } from './gridfs.fixture.ts'

it('GridFS: Blobs hold less than 16 MiB of 32 MiB that they put or get', { skip: mongoMissing }, async t => {
  const folder = await mkdtemp(join(tmpdir(), 'gridfs-memory-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  await using server = await startMongo({ dataDir: folder })
  const { blobs } = openBlobs(t, server.url())
  await checkMemory(t, blobs, { size: 32, limit: 16 })
  await blobs.close()
})
