import { openMongo } from '@millhand/store/mongo'
import { createLog } from '@millhand/telemetry'
import { javaMissing, startMongo } from '@millhand/test-servers'
import { describeDeliveries } from './deliveries.contract.ts'

describeDeliveries(
  'mongo',
  async () => {
    const mongo = await startMongo()
    const db = openMongo({ url: mongo.url('deliveries'), log: createLog({ level: 'error' }) })
    return {
      db,
      async close() {
        await db.close()
        await mongo[Symbol.asyncDispose]()
      },
    }
  },
  { skip: javaMissing },
)
