import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { codeOf } from '@millhand/api'
import { type ActiveLimits, createActiveLimits } from './active-limits.ts'
import type { BatchRecord } from './batch.ts'

const tenant = 'acct_1/live'
let stored: Pick<BatchRecord, 'lines_bytes'>[]
let limits: ActiveLimits

beforeEach(() => {
  stored = []
  limits = createActiveLimits({ batches: { find: async (_, { limit }) => stored.slice(0, limit) as BatchRecord[] } })
})

const isFull = (error: unknown) => codeOf(error) === 'queue_full'

/** A batch whose lines have so many bytes. */
async function accept(bytes: number): Promise<void> {
  const place = await limits.begin(tenant)
  try {
    place.add(bytes)
    await place.commit(async () => stored.push({ lines_bytes: bytes }))
  } finally {
    place.end()
  }
}

test('as many as may be are accepted, however many come at once', async () => {
  for (let n = 0; n < 97; n++) stored.push({ lines_bytes: 1 })
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => accept(1)))
  assert.equal(stored.length, 100)
  assert.deepEqual(
    results.filter(({ status }) => status === 'rejected').map(one => isFull((one as PromiseRejectedResult).reason)),
    Array(17).fill(true),
  )
  stored.pop()
  await accept(1)
})

test('a place that is given up is free again, and one that another process took meanwhile is not', async () => {
  for (let n = 0; n < 99; n++) stored.push({ lines_bytes: 1 })
  const given = await limits.begin(tenant)
  await assert.rejects(limits.begin(tenant), isFull)
  given.end()
  const late = await limits.begin(tenant)
  stored.push({ lines_bytes: 1 })
  await assert.rejects(
    late.commit(async () => {}),
    isFull,
  )
})

test('the bytes of lines have a bound together, stored and under way', async () => {
  await accept(2 ** 29)
  const place = await limits.begin(tenant)
  place.add(2 ** 29 - 1)
  const other = await limits.begin(tenant)
  assert.throws(() => other.add(2), isFull)
  other.add(1)
  place.end()
  other.add(2 ** 29 - 1)
  await other.commit(async () => stored.push({ lines_bytes: 2 ** 29 }))
  const none = await limits.begin(tenant)
  assert.throws(() => none.add(1), isFull)
})
