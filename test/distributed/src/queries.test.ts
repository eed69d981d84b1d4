import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWiredTiger, wiredTigerMissing } from '@millhand/test-servers'
import { MongoClient } from 'mongodb'
import { recordQueries, withoutIndex } from './queries.ts'

test('a query that no index answers is found, whatever command makes it', { skip: wiredTigerMissing }, async t => {
  await using server = await startWiredTiger()
  await using recorder = await recordQueries(server.address)
  const client = new MongoClient(`mongodb://${recorder.address}/recorded`)
  t.after(() => client.close())
  const letters = client.db().collection<{ _id: string; name: string; size: number }>('letters')
  await letters.createIndex({ name: 1 }, { name: 'by_name' })
  await letters.find({ name: 'a' }).toArray()
  await letters.find({ name: 'b' }, { sort: { _id: 1 } }).toArray()
  await letters.find({ _id: 'a', size: 1 }).toArray()
  await letters.updateOne({ _id: { $gt: 'a' }, size: 1 }, { $set: { size: 2 } })
  await letters.countDocuments({ name: { $in: ['a', 'b'] } })
  assert.deepEqual(await withoutIndex(recorder, server.url()), [])

  await letters.find({ size: 1 }).toArray()
  await letters.updateOne({ size: { $gt: 1 } }, { $set: { size: 2 } })
  await letters.deleteMany({ size: null as unknown as number })
  await letters.findOneAndUpdate({ $or: [{ size: 3 }, { name: 'a' }] }, { $set: { size: 4 } })
  await letters.countDocuments({ size: { $lt: 5 } })
  assert.deepEqual((await withoutIndex(recorder, server.url())).sort(), [
    'letters: {"$or":[{"size":"number"},{"name":"string"}]}',
    'letters: {"size":"number"}',
    'letters: {"size":null}',
    'letters: {"size":{"$gt":"number"}}',
    'letters: {"size":{"$lt":"number"}}',
  ])
})
