import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import { manualClock } from '@millhand/process'
import { openSqlite } from '@millhand/store/sqlite'
import { createLog } from '@millhand/telemetry'
import { type Batches, type BatchRecord, batchesSpec } from './batch.ts'
import { countsOf, itemsSpec, newItems } from './item-state.ts'
import type { ItemsCollection } from './items-store.ts'
import { removeExpired } from './retention.ts'

test('items of batches that have ended, or are there no more, are removed', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-batch-'))
  const db = openSqlite({ file: join(folder, 'millhand.db') })
  t.after(async () => {
    await db.close()
    await rm(folder, { recursive: true })
  })
  const clock = manualClock(Date.UTC(2026, 10, 26))
  const batches: Batches = db.collection(batchesSpec)
  const items: ItemsCollection = db.collection(itemsSpec)
  const tenant = 'acct_1/live'
  const names = Array.from({ length: 50 }, (_, n) => `batch_${String(n).padStart(2, '0')}` as BatchRecord['id'])
  const active = names.filter((_, n) => n % 5 === 0)
  for (const id of names) await items.write({ kind: 'insert', document: newItems(tenant, id, 3), events: [] })
  for (const id of names.slice(0, 30)) {
    const document: BatchRecord = {
      ...{ id, tenant, version: 1, account_id: 'acct_1', mode: 'live', total: 3, with_employees: false },
      status: active.includes(id) ? 'running' : 'completed',
      plans: { compute: '', developer: '', workforce: '' },
      counts: countsOf(newItems(tenant, id, 3)),
      ...{ lines: `batches/${tenant}/${id}/1`, lines_bytes: 1, completion_window_s: 3_600, metadata: {} },
      ...{ created_at: clock.now(), accepted_at: clock.now(), expires_at: clock.now() + 1, resource_version: 1 },
      due_at: clock.now() + 86_400_000,
    }
    await batches.write({ kind: 'insert', document, events: [] })
  }
  const ending = new AbortController()
  const blobs = await filesystemBlobs(join(folder, 'blobs'))
  const running = removeExpired({ batches, items, blobs, clock, log: createLog({ level: 'error' }) }, ending.signal)
  const left = active.filter(id => names.indexOf(id) < 30)
  const found = async () =>
    (await items.find('primary', { equals: [tenant], after: [''], limit: 100 })).map(({ id }) => id)
  while ((await found()).length > left.length) await new Promise(resolve => setImmediate(resolve))
  assert.deepEqual(await found(), left)
  ending.abort()
  await running
})
