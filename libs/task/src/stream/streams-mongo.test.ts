import { join } from 'node:path'
import { after, describe } from 'node:test'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import { openMongo } from '@millhand/store/mongo'
import { createLog } from '@millhand/telemetry'
import { mongoMissing, startMongo } from '@millhand/test-servers'
import { errandCollections } from '../errand-service.fixture.ts'
import { describeEmit } from './emit.contract.ts'
import { describeInterleavings } from './interleavings.contract.ts'
import { describeStreams } from './streams.contract.ts'
import type { Opened } from './streams.fixture.ts'

describe('MongoDB', { skip: mongoMissing }, async () => {
  const server = await startMongo()
  after(() => server[Symbol.asyncDispose]())

  async function open(folder: string): Promise<Opened> {
    const db = openMongo({ url: server.url(), log: createLog({ level: 'error' }) })
    return {
      ...errandCollections(db),
      blobs: await filesystemBlobs(join(folder, 'blobs')),
      close: () => db.close(),
    }
  }

  describeStreams('MongoDB', open)
  describeEmit('MongoDB', open)
  describeInterleavings('MongoDB', 10, open)
})
