import { after, describe } from 'node:test'
import { gridfsBlobs } from '@millhand/blob/gridfs'
import { systemClock as clock } from '@millhand/process'
import { openMongo } from '@millhand/store/mongo'
import { createLog } from '@millhand/telemetry'
import { mongoMissing, startMongo } from '@millhand/test-servers'
import { describeTaskFiles } from './task-files.contract.ts'
import { describeTaskLines } from './task-lines.contract.ts'

describe('MongoDB', { skip: mongoMissing }, async () => {
  const server = await startMongo()
  after(() => server[Symbol.asyncDispose]())

  for (const describeOn of [describeTaskFiles, describeTaskLines])
    describeOn('MongoDB and GridFS', async () => {
      const url = server.url()
      const db = openMongo({ url, log: createLog({ level: 'error' }) })
      const blobs = gridfsBlobs({ url, clock })
      return {
        db,
        blobs,
        async close() {
          await Promise.all([db.close(), blobs.close()])
        },
      }
    })
})
