import { openMongo } from '@millhand/store/mongo'
import { createLog } from '@millhand/telemetry'
import { mongoMissing, startMongo } from '@millhand/test-servers'
import { describeCollecting } from './collecting.contract.ts'

describeCollecting(
  'mongo',
  async () => {
    const mongo = await startMongo()
    const db = openMongo({ url: mongo.url('payments'), log: createLog({ level: 'error' }) })
    return {
      db,
      async [Symbol.asyncDispose]() {
        await db.close()
        await mongo[Symbol.asyncDispose]()
      },
    }
  },
  { skip: mongoMissing },
)
