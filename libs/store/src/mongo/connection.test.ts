import assert from 'node:assert/strict'
import { it } from 'node:test'
import { MongoServerError } from 'mongodb'
import { isPassing, timeoutsFor } from './connection.ts'

it('the way to a server ends after 10 s of silence, or when its URL says', () => {
  const { socketTimeoutMS, ...others } = timeoutsFor('mongodb://db/x?connectTimeoutMS=7')
  assert.equal(socketTimeoutMS, 10_000)
  assert.deepEqual(Object.keys(others), ['serverSelectionTimeoutMS', 'waitQueueTimeoutMS'])
})

it('a connection that breaks under a write passes, in the driver’s words and in Node’s', () => {
  for (const code of ['ECONNRESET', 'EPIPE']) assert.ok(isPassing(Object.assign(new Error(`write ${code}`), { code })))
  for (const code of [91, 189, 10107]) assert.ok(isPassing(new MongoServerError({ code })))
  for (const error of [new Error('a fault of ours'), new MongoServerError({ code: 2 }), undefined]) {
    assert.equal(isPassing(error), false)
  }
})
