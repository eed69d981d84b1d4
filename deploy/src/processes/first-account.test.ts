import assert from 'node:assert/strict'
import { test } from 'node:test'
import { javaMissing, startMongo } from '@millhand/test-servers'
import { firstAccount } from './first-account.ts'

test('the first account waits for a database that starts after it', { skip: javaMissing }, async () => {
  await using mongo = await startMongo()
  await mongo.kill()
  const made = firstAccount({ MILLHAND_MONGO_URL: `${mongo.url('millhand')}?serverSelectionTimeoutMS=10` })
  await mongo.start()
  assert.match((await made).live, /^mh_live_/)
})
