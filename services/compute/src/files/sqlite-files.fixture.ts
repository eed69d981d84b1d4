import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import { openSqlite } from '@millhand/store/sqlite'
import { fileCollections } from './file-service.ts'
import type { Opened } from './files.fixture.ts'

/** Files on SQLite and the filesystem, in a folder of their own. */
export async function openSqliteFiles(): Promise<Opened> {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-files-'))
  const db = openSqlite({ file: join(folder, 'millhand.db') })
  return {
    stores: { ...fileCollections(db), blobs: await filesystemBlobs(join(folder, 'blobs')) },
    async close() {
      await db.close()
      await rm(folder, { recursive: true })
    },
  }
}
