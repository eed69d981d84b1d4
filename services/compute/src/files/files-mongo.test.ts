import { after, describe } from 'node:test'
import { gridfsBlobs } from '@millhand/blob/gridfs'
import { systemClock as clock } from '@millhand/process'
import { openMongo } from '@millhand/store/mongo'
import { createLog } from '@millhand/telemetry'
import { mongoMissing, startMongo } from '@millhand/test-servers'
import { fileCollections } from './file-service.ts'
import { describeFiles } from './files.contract.ts'
import type { Opened } from './files.fixture.ts'
import { describeQuota } from './quota.contract.ts'
import { describeSteps } from './steps.contract.ts'
import { describeUploads } from './upload.contract.ts'

describe('MongoDB', { skip: mongoMissing }, async () => {
  const server = await startMongo()
  after(() => server[Symbol.asyncDispose]())

  async function open(): Promise<Opened> {
    const url = server.url()
    const db = openMongo({ url, log: createLog({ level: 'error' }) })
    const blobs = gridfsBlobs({ url, clock })
    return {
      stores: { ...fileCollections(db), blobs },
      async close() {
        await Promise.all([db.close(), blobs.close()])
      },
    }
  }

  describeUploads('MongoDB and GridFS', open)
  describeQuota('MongoDB and GridFS', open)
  describeFiles('MongoDB and GridFS', open)
  describeSteps('MongoDB and GridFS', open)
})
