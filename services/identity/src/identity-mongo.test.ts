import { after, describe } from 'node:test'
import { openMongo } from '@millhand/store/mongo'
import { createLog } from '@millhand/telemetry'
import { mongoMissing, startMongo } from '@millhand/test-servers'
import { describeIdentity } from './identity.contract.ts'

describe('MongoDB', { skip: mongoMissing }, async () => {
  const server = await startMongo()
  after(() => server[Symbol.asyncDispose]())
  describeIdentity('MongoDB', async () => {
    const db = openMongo({ url: server.url(), log: createLog({ level: 'error' }) })
    return { collection: spec => db.collection(spec), close: () => db.close() }
  })
})
