import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countedByOwner, noDueTime, type Work } from './work.ts'
import { WorkCache } from './work-store.ts'

const tenant = 'acct_a/live'
const queued = (id: string): Work => ({
  ...{ tenant, id, version: 1, pool: 'live/onnx', group: 'g', rank: 1, status: 'queued', alone: false, backoff_ms: 0 },
  ...{ due_at: noDueTime, lease_id: '', attempt: 0 },
})
const held = (id: string): Work => ({ ...queued(id), version: 2, lease_id: 'l', due_at: countedByOwner })

test('what is held is not held twice: once it was taken, a reading from before does not come up', () => {
  const cache = new WorkCache<Work>()
  cache.written(held('a'))
  cache.read(queued('a'))
  assert.equal(cache.take(tenant, 'a')?.lease_id, 'l')
  assert.equal(cache.take(tenant, 'a'), undefined)
})

test('what waits is not forgotten for leases that are read again', () => {
  const cache = new WorkCache<Work>()
  const leases = Array.from({ length: 600 }, (_, n) => held(`lease_${n}`))
  for (const lease of leases) cache.written(lease)
  cache.read(queued('a'))
  for (const lease of leases) cache.read(lease)
  assert.equal(cache.take(tenant, 'a')?.status, 'queued')
})
