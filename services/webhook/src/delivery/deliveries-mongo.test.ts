import { openMongo } from '@millhand/store/mongo'
import { createLog } from '@millhand/telemetry'
import { mongoMissing, startMongo } from '@millhand/test-servers'
import { describeDeliveries, type OpenedStore } from './deliveries.contract.ts'
import { describeDeliveryCalls } from './delivery-calls.contract.ts'
import { describePutOffs } from './put-offs.contract.ts'

const open = async (): Promise<OpenedStore> => {
  const mongo = await startMongo()
  const db = openMongo({ url: mongo.url('deliveries'), log: createLog({ level: 'error' }) })
  return {
    db,
    async close() {
      await db.close()
      await mongo[Symbol.asyncDispose]()
    },
  }
}

describeDeliveries('mongo', open, { skip: mongoMissing })
describeDeliveryCalls('mongo', open, { skip: mongoMissing })
describePutOffs('mongo', open, { skip: mongoMissing })
