import { openMongo } from '@millhand/store/mongo'
import { createLog } from '@millhand/telemetry'
import { mongoMissing, startMongo } from '@millhand/test-servers'
import { describeEndpoints } from './endpoints.contract.ts'

describeEndpoints(
  'MongoDB',
  async () => {
    const server = await startMongo()
    const db = openMongo({ url: server.url(), log: createLog({ level: 'error' }) })
    return {
      collection: spec => db.collection(spec),
      async close() {
        await db.close()
        await server[Symbol.asyncDispose]()
      },
    }
  },
  { skip: mongoMissing },
)
