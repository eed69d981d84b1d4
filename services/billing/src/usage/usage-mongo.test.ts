import { openMongo } from '@millhand/store/mongo'
import { createLog } from '@millhand/telemetry'
import { mongoMissing, startMongo } from '@millhand/test-servers'
import { describeUsage } from './usage.contract.ts'

describeUsage(
  'mongo',
  async () => {
    const mongo = await startMongo()
    const db = openMongo({ url: mongo.url('usage'), log: createLog({ level: 'error' }) })
    return {
      db,
      async close() {
        await db.close()
        await mongo[Symbol.asyncDispose]()
      },
    }
  },
  { skip: mongoMissing },
)
