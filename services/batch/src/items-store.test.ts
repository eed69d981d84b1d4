import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BatchRecord } from './batch.ts'
import { newItems } from './item-state.ts'
import { createItemsStore, type ItemsCollection } from './items-store.ts'

test('items that an earlier version wrote, with refusals by item, can be gone on with', async () => {
  const stored = { ...newItems('acct_a/live', 'batch_1', 2), refusals: {}, version: 3 }
  const collection = { get: async () => stored } as unknown as ItemsCollection
  const batch = { tenant: 'acct_a/live', id: 'batch_1', total: 2 } as unknown as BatchRecord
  const { items, isFirst } = await createItemsStore(collection).load(batch)
  assert.deepEqual([items.refusals, items.version, isFirst], [[], 3, true])
})
