import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createClient, createContextValues } from '@connectrpc/connect'
import { createCursors, createIds } from '@millhand/api'
import { BatchService } from '@millhand/api/gen/millhand/batch/v1/batch_service_pb.ts'
import { BatchTaskService } from '@millhand/api/gen/millhand/batch/v1/batch_task_service_pb.ts'
import { FileService } from '@millhand/api/gen/millhand/compute/v1/file_service_pb.ts'
import { TaskFileService } from '@millhand/api/gen/millhand/compute/v1/task_file_service_pb.ts'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import { manualClock } from '@millhand/process'
import { createDirectTransport, principalKey, serve } from '@millhand/rpc'
import type { Collection, CollectionSpec, Database, Document } from '@millhand/store'
import { openSqlite } from '@millhand/store/sqlite'
import { createLog } from '@millhand/telemetry'
import { type BatchRecord, batchesSpec } from './batch.ts'
import { createBatchService } from './batch-service.ts'
import { countsOf, newItems } from './item-state.ts'

const tenant = 'acct_1/live'
const as = {
  contextValues: createContextValues().set(principalKey, {
    ...{ accountId: 'acct_1', mode: 'live', tenant, keyId: 'key_1', scopes: new Set(['*']) },
    plans: { compute: 'starter', developer: 'free', workforce: 'starter' },
  } as const),
}

/** The database, and what was asked of it: the method and how many documents it was about. */
function counted(db: Database) {
  const asked: string[] = []
  const collection = <T extends Document, I extends string>(spec: CollectionSpec<I>): Collection<T, I> => {
    const real = db.collection<T, I>(spec)
    return {
      async get(of, id) {
        asked.push(`get ${spec.name}`)
        return await real.get(of, id)
      },
      async find(index, query) {
        const found = await real.find(index, query)
        asked.push(`find ${spec.name} ${found.length}`)
        return found
      },
      async count(index, range, limit) {
        asked.push(`count ${spec.name} ${limit}`)
        return await real.count(index, range, limit)
      },
      async write(change) {
        asked.push(`${change.kind} ${spec.name}`)
        return await real.write(change)
      },
    }
  }
  return { db: { collection }, asked }
}

test('a batch of 50,000 is shown, listed and cancelled by what one of 5 asks of the store', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-batch-'))
  const sqlite = openSqlite({ file: join(folder, 'millhand.db') })
  t.after(async () => {
    await sqlite.close()
    await rm(folder, { recursive: true })
  })
  const clock = manualClock(Date.UTC(2026, 10, 26))
  const { db, asked } = counted(sqlite)
  const nobody = createDirectTransport()
  const tasks = createClient(BatchTaskService, nobody)
  const service = createBatchService({
    ...{ db, clock, log: createLog({ level: 'error' }), cursors: createCursors(new Uint8Array(32)) },
    blobs: await filesystemBlobs(join(folder, 'blobs')),
    events: { subscribe: async () => {} },
    tasks: { compute: tasks, workforce: tasks },
    files: createClient(FileService, nobody),
    taskFiles: createClient(TaskFileService, nobody),
    retentionMs: 86_400_000,
  })
  const transport = createDirectTransport()
  serve(service.routes, transport)
  const batches = createClient(BatchService, transport)
  const ids = createIds({ now: () => clock.now() })

  /** What is asked of the store to show, list and cancel a batch of so many tasks, half of which have ended. */
  async function costOf(total: number): Promise<readonly string[]> {
    const id = ids('batch')
    const items = newItems(tenant, id, total)
    const half = Math.floor(total / 2)
    const record: BatchRecord = {
      ...{ id, tenant, version: 1, account_id: 'acct_1', mode: 'live', status: 'running', total },
      ...{ with_employees: false, plans: { compute: '', developer: '', workforce: '' } },
      counts: countsOf({ states: 's'.repeat(half) + items.states.slice(half) }),
      ...{ lines: `batches/${tenant}/${id}/1`, lines_bytes: total * 100, completion_window_s: 3_600, metadata: {} },
      ...{
        created_at: clock.now(),
        accepted_at: clock.now(),
        expires_at: clock.now() + 3_600_000,
        resource_version: 1,
      },
    }
    await records.write({ kind: 'insert', document: record, events: [] })
    asked.length = 0
    assert.equal((await batches.getBatch({ id }, as)).total, total)
    assert.equal((await batches.listBatches({ limit: 1 }, as)).data[0]?.total, total)
    assert.equal((await batches.cancelBatch({ id }, as)).batch?.total, total)
    return [...asked]
  }
  // What the service has opened is there once.
  const records = sqlite.collection<BatchRecord>(batchesSpec)
  await costOf(1) // A page is never the last one.
  const few = await costOf(5)
  assert.deepEqual(await costOf(50_000), few)
  assert.ok(few.length <= 5 && !few.some(each => each.includes('batch_items')), few.join(', '))
})
