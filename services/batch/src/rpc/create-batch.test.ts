import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { timestampMs } from '@bufbuild/protobuf/wkt'
import { createClient, createContextValues, type ServiceImpl } from '@connectrpc/connect'
import { createCursors, createIds } from '@millhand/api'
import { BatchService } from '@millhand/api/gen/millhand/batch/v1/batch_service_pb.ts'
import { BatchTaskService } from '@millhand/api/gen/millhand/batch/v1/batch_task_service_pb.ts'
import { FileService } from '@millhand/api/gen/millhand/compute/v1/file_service_pb.ts'
import { TaskFileService } from '@millhand/api/gen/millhand/compute/v1/task_file_service_pb.ts'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import { manualClock } from '@millhand/process'
import { createDirectTransport, operationKey, principalKey, serve } from '@millhand/rpc'
import { openSqlite } from '@millhand/store/sqlite'
import { createLog } from '@millhand/telemetry'
import { createBatchService } from '../batch-service.ts'

const line = JSON.stringify({ type: 'inference', model: 'm', input: '1' })

/** A service of batches; `readFile` is called for each file that it reads. `answers` are compute's. */
async function open(
  t: TestContext,
  readFile: (id: string) => Promise<void> = async () => {},
  answers: Partial<ServiceImpl<typeof BatchTaskService>> = {},
) {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-batch-'))
  const db = openSqlite({ file: join(folder, 'millhand.db') })
  t.after(async () => {
    await db.close()
    await rm(folder, { recursive: true })
  })
  const clock = manualClock(Date.UTC(2026, 10, 26))
  const transport = createDirectTransport()
  const tasks = createClient(BatchTaskService, transport)
  const service = createBatchService({
    ...{ db, clock, log: createLog({ level: 'error' }), cursors: createCursors(new Uint8Array(32)) },
    blobs: await filesystemBlobs(join(folder, 'blobs')),
    events: { subscribe: async () => {} },
    tasks: { compute: tasks, workforce: tasks },
    files: createClient(FileService, transport),
    taskFiles: createClient(TaskFileService, transport),
    retentionMs: 86_400_000,
  })
  serve(router => {
    service.routes(router)
    router.service(BatchTaskService, { checkTasks: async () => ({ faults: [] }), ...answers })
    router.service(FileService, {
      async *getFileContent({ id }) {
        await readFile(id)
        yield { part: { case: 'data' as const, value: Buffer.from(`${line}\n`) } }
      },
    })
  }, transport)
  const batches = createClient(BatchService, transport)
  const as = (account: string, operation?: string) => ({
    contextValues: createContextValues()
      .set(operationKey, operation)
      .set(principalKey, {
        ...{ accountId: account, mode: 'live', tenant: `${account}/live`, keyId: 'key_1', scopes: new Set(['*']) },
        plans: { compute: 'starter', developer: 'free', workforce: 'starter' },
      } as const),
  })
  return { batches, clock, as }
}

test('the window of a create that is retried late begins at the retry', async t => {
  const { batches, clock, as } = await open(t)
  const operation = createIds({ now: () => clock.now() })('req').slice('req_'.length)
  const createdAt = clock.now()
  await clock.advance(7_200_000)
  const request = { tasks: [line], completionWindowS: 3_600 }
  const batch = await batches.createBatch(request, as('acct_1', operation))
  assert.equal(batch.createdAt && timestampMs(batch.createdAt), createdAt)
  assert.equal(batch.expiresAt && timestampMs(batch.expiresAt), clock.now() + 3_600_000)
  assert.deepEqual(await batches.createBatch(request, as('acct_1', operation)), batch)
})

test('of one account two files are read at once, and the files of others do not wait for them', async t => {
  const free = Promise.withResolvers<void>()
  const reading = { now: 0, most: 0 }
  const { batches, as } = await open(t, async id => {
    if (id === 'file_other') return
    reading.most = Math.max(reading.most, ++reading.now)
    await free.promise
    reading.now--
  })
  const waiting = Array.from({ length: 7 }, () => batches.createBatch({ inputFile: 'file_1' }, as('acct_1')))
  const other = await batches.createBatch({ inputFile: 'file_other' }, as('acct_2'))
  assert.equal(other.total, 1)
  free.resolve()
  assert.equal((await Promise.all(waiting)).length, 7)
  assert.equal(reading.most, 2)
})

/** The attempts to create batches that hold models at compute, by what they asked for. */
function heldModels() {
  const held = new Map<string, number>()
  const answers: Partial<ServiceImpl<typeof BatchTaskService>> = {
    async holdInputs({ attempt, ids, until }) {
      assert.ok(ids.length > 0 || held.has(attempt), 'nothing is kept that was not held')
      held.set(attempt, until ? timestampMs(until) : 0)
      return {}
    },
    async releaseInputs({ attempt }) {
      assert.ok(attempt)
      held.delete(attempt)
      return {}
    },
  }
  return { held, answers }
}

test('a create that is cut gives back what it holds, and not what its retry holds', async t => {
  const { held, answers } = heldModels()
  const checks = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let checked = 0
  const { batches, clock, as } = await open(t, undefined, {
    ...answers,
    async checkTasks() {
      await checks[checked++]?.promise
      return { faults: [] }
    },
  })
  const operation = createIds({ now: () => clock.now() })('req').slice('req_'.length)
  const tasks = [JSON.stringify({ type: 'inference', model: 'model_1', input: '1' })]
  const create = (signal?: AbortSignal) =>
    batches.createBatch({ tasks, completionWindowS: 3_600 }, { ...as('acct_1', operation), ...(signal && { signal }) })
  const cut = new AbortController()
  const first = create(cut.signal)
  const isHeld = async (count: number) => {
    while (held.size !== count) await new Promise(resolve => setImmediate(resolve))
  }
  await isHeld(1)
  const hourMs = 3_600_000
  assert.deepEqual([...held.values()], [clock.now() + hourMs], 'an attempt holds for an hour')
  const retry = create()
  await isHeld(2)
  cut.abort()
  await assert.rejects(first)
  checks[0]?.resolve()
  await isHeld(1)
  checks[1]?.resolve()
  const { expiresAt } = await retry
  assert.deepEqual([...held.values()], [(expiresAt ? timestampMs(expiresAt) : 0) + hourMs])
})

test('of two attempts at once the one that made no batch gives back what it holds', async t => {
  const { held, answers } = heldModels()
  const { batches, clock, as } = await open(t, undefined, answers)
  const operation = createIds({ now: () => clock.now() })('req').slice('req_'.length)
  const tasks = [JSON.stringify({ type: 'inference', model: 'model_1', input: '1' })]
  const both = await Promise.all([0, 1].map(() => batches.createBatch({ tasks }, as('acct_1', operation))))
  assert.equal(both[0]?.id, both[1]?.id)
  assert.equal(held.size, 1)
})
