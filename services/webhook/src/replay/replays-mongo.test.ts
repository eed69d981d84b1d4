import { after, before, describe } from 'node:test'
import { openMongo } from '@millhand/store/mongo'
import { createLog } from '@millhand/telemetry'
import { type Mongo, mongoMissing, startMongo } from '@millhand/test-servers'
import { describeTestEvents } from '../rpc/test-webhook.contract.ts'
import { describeReplays } from './replays.contract.ts'

describe('mongo', { skip: mongoMissing }, () => {
  let mongo: Mongo
  before(async () => {
    mongo = await startMongo()
  })
  after(() => mongo?.[Symbol.asyncDispose]())

  let opened = 0
  async function open() {
    const db = openMongo({ url: mongo.url(`replays_${++opened}`), log: createLog({ level: 'error' }) })
    return { db, close: () => db.close() }
  }

  describeReplays('mongo', open)
  describeTestEvents('mongo', open)
})
