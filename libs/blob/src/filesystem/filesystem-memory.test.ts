import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { checkMemory } from '../memory.contract.ts'
import { filesystemBlobs } from './filesystem.ts'

it('filesystem: Blobs hold less than 32 MiB of 256 MiB that they put or get', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'blobs-memory-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  await checkMemory(t, await filesystemBlobs(folder), { size: 256, limit: 32 })
})
