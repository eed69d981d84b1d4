import { after, before, describe } from 'node:test'
import { openMongo } from '@millhand/store/mongo'
import { createLog } from '@millhand/telemetry'
import { type Mongo, mongoMissing, startMongo } from '@millhand/test-servers'
import { describeEvents } from './events.contract.ts'

describe('mongo', { skip: mongoMissing }, () => {
  let mongo: Mongo
  before(async () => {
    mongo = await startMongo()
  })
  after(() => mongo?.[Symbol.asyncDispose]())

  let opened = 0
  describeEvents('mongo', async () => {
    const db = openMongo({ url: mongo.url(`events_${++opened}`), log: createLog({ level: 'error' }) })
    return { db, close: () => db.close() }
  })
})
