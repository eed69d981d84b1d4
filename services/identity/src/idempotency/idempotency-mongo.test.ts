import { after, describe } from 'node:test'
import { openMongo } from '@millhand/store/mongo'
import { createLog } from '@millhand/telemetry'
import { mongoMissing, startMongo } from '@millhand/test-servers'
import { describeIdempotency } from './idempotency.contract.ts'
import { idempotencySpec } from './idempotency-record.ts'

describe('MongoDB', { skip: mongoMissing }, async () => {
  const server = await startMongo()
  after(() => server[Symbol.asyncDispose]())
  describeIdempotency('MongoDB', async () => {
    const db = openMongo({ url: server.url(), log: createLog({ level: 'error' }) })
    return { records: db.collection(idempotencySpec), close: () => db.close() }
  })
})
