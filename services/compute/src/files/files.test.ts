import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import { openSqlite } from '@millhand/store/sqlite'
import { fileCollections } from './file-service.ts'
import { describeFiles } from './files.contract.ts'
import type { Opened } from './files.fixture.ts'
import { describeQuota } from './quota.contract.ts'
import { describeSteps } from './steps.contract.ts'
import { describeUploads } from './upload.contract.ts'

async function open(): Promise<Opened> {
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

describeUploads('SQLite and the filesystem', open)
describeQuota('SQLite and the filesystem', open)
describeFiles('SQLite and the filesystem', open)
describeSteps('SQLite and the filesystem', open)
