import { after, before } from 'node:test'
import { openMongo } from '@millhand/store/mongo'
import { createLog } from '@millhand/telemetry'
import { type Mongo, mongoMissing, startMongo } from '@millhand/test-servers'
import { describeLimits } from './limits.contract.ts'

let mongo: Mongo | undefined
let databases = 0
before(async () => {
  if (!mongoMissing) mongo = await startMongo()
})
after(async () => await mongo?.[Symbol.asyncDispose]())

describeLimits(
  'mongo',
  async () => {
    const url = (mongo as Mongo).url(`limits_${++databases}`)
    const db = openMongo({ url, log: createLog({ level: 'error' }) })
    return { db, close: () => db.close() }
  },
  { skip: mongoMissing },
)
