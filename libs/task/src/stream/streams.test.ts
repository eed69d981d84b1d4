import { join } from 'node:path'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import { openSqlite } from '@millhand/store/sqlite'
import { errandCollections } from '../errand-service.fixture.ts'
import { describeEmit } from './emit.contract.ts'
import { describeInterleavings } from './interleavings.contract.ts'
import { describeStreams } from './streams.contract.ts'
import type { Opened } from './streams.fixture.ts'

async function open(folder: string): Promise<Opened> {
  const db = openSqlite({ file: join(folder, 'millhand.db') })
  return {
    ...errandCollections(db),
    blobs: await filesystemBlobs(join(folder, 'blobs')),
    close: () => db.close(),
  }
}

describeStreams('SQLite', open)
describeEmit('SQLite', open)
describeInterleavings('SQLite', 60, open)
