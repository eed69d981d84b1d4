import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import { openSqlite } from '@millhand/store/sqlite'
import { describeTaskFiles } from './task-files.contract.ts'
import { describeTaskLines } from './task-lines.contract.ts'

for (const describeOn of [describeTaskFiles, describeTaskLines])
  describeOn('SQLite and the filesystem', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'millhand-task-files-'))
    const db = openSqlite({ file: join(folder, 'millhand.db') })
    return {
      db,
      blobs: await filesystemBlobs(join(folder, 'blobs')),
      async close() {
        await db.close()
        await rm(folder, { recursive: true })
      },
    }
  })
