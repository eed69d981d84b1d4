/** What owners do with batches that have not ended. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { Code, ConnectError, createContextValues, type HandlerContext } from '@connectrpc/connect'
import type { CancelBatchRequest } from '@millhand/api/gen/millhand/batch/v1/batch_pb.ts'
import { TaskStatus } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import type { Blobs } from '@millhand/blob'
import { principalKey } from '@millhand/rpc'
import type { Batches } from './batch.ts'
import type { BatchDeps } from './batch-deps.ts'
import { type BatchesFixture, openBatches, range, step, TOTAL, tenant, turn } from './batch-owner.fixture.ts'
import { cancelBatch } from './rpc/cancel-batch.ts'
import { taskIdOf } from './task-ids.ts'

let on: BatchesFixture
beforeEach(async () => {
  on = await openBatches()
})
afterEach(() => on.close())

test('an owner that died while it made tasks is followed by one that makes each once', async () => {
  const first = on.owner()
  on.room = 40
  await step(first)
  assert.equal(on.tasks.size, 40)
  on.room = Number.POSITIVE_INFINITY
  for (const index of range(0, 10)) on.endTask(on.idOf(index), TaskStatus.SUCCEEDED)
  const second = on.owner()
  await step(second)
  assert.deepEqual(
    [...on.tasks.keys()],
    range(0, TOTAL).map(index => on.idOf(index)),
  )
  const { counts } = await on.now()
  assert.deepEqual([counts.succeeded, counts.queued], [10, TOTAL - 10])
  for (const index of range(10, TOTAL)) on.endTask(on.idOf(index), TaskStatus.SUCCEEDED)
  await step(on.owner())
  const { status, error_file } = await on.ended()
  assert.deepEqual([status, error_file], ['completed', undefined])
  assert.deepEqual(on.released, [on.batch.id])
  assert.deepEqual(
    on.linesOf('output.jsonl'),
    range(0, TOTAL).map(index => ({ custom_id: `c${index}`, index, task_id: on.idOf(index), output: 7 })),
  )
})

test('a batch ends also where compute is of an earlier version, which holds no files and models', async () => {
  on.release = async () => {
    throw new ConnectError('there is no such method', Code.Unimplemented)
  }
  const owner = on.owner()
  await step(owner)
  owner.addNews(tenant, on.batch.id, new Map(range(0, TOTAL).map(index => [index, 'succeeded'])))
  await step(owner)
  assert.equal((await on.ended()).status, 'completed')
})

test('news that comes late or again changes nothing that has ended', async () => {
  const owner = on.owner()
  await step(owner)
  for (const state of ['running', 'succeeded', 'running', 'queued', 'succeeded'] as const) {
    owner.addNews(tenant, on.batch.id, new Map([[3, state]]))
    await step(owner)
  }
  const { counts } = await on.now()
  assert.deepEqual([counts.succeeded, counts.queued, counts.running], [1, TOTAL - 1, 0])
})

test('the end of a task of which no event came is found, in a batch that is being cancelled too', async () => {
  const owner = on.owner()
  await step(owner)
  owner.addNews(tenant, on.batch.id, new Map(range(0, TOTAL).map(index => [index, 'running'])))
  for (const [id, task] of on.tasks) on.tasks.set(id, { ...task, status: TaskStatus.RUNNING })
  await on.requestCancel(on.batch)
  await step(owner)
  for (const [id, task] of on.tasks) on.tasks.set(id, { ...task, status: TaskStatus.CANCELLED })
  for (let second = 0; second <= 30; second++) {
    await on.clock.advance(1_000)
    await step(owner)
  }
  assert.equal((await on.ended()).status, 'cancelled')
})

test('an owner that could not look at what is there looks later, also where news comes first', async () => {
  on.room = 40
  await step(on.owner())
  on.room = Number.POSITIVE_INFINITY
  for (const index of range(0, 10)) on.endTask(on.idOf(index), TaskStatus.SUCCEEDED)
  const second = on.owner()
  on.away = 'task_'
  for (const wait of [0, 1_000]) {
    await on.clock.advance(wait)
    second.addNews(tenant, on.batch.id, new Map([[39, 'running']]))
    await step(second)
    assert.equal((await on.now()).counts.succeeded, wait === 0 ? 0 : 10)
    on.away = '-'
  }
  const { counts } = await on.now()
  assert.deepEqual([counts.succeeded, counts.running], [10, 1])
})

test('a service that can not be reached stops neither the news nor the steps of other batches', async () => {
  const owner = on.owner()
  const mixed = await on.addBatch('acct_2/live', 9, true)
  await step(owner)
  on.away = 'wtask_'
  await on.clock.advance(30_000)
  await step(owner) // The mixed batch is asked for, and fails.
  for (const index of range(0, TOTAL)) on.endTask(on.idOf(index), TaskStatus.SUCCEEDED)
  owner.addNews('acct_2/live', mixed.id, new Map([[0, 'succeeded']]))
  owner.addNews(tenant, on.batch.id, new Map(range(0, TOTAL).map(index => [index, 'succeeded'])))
  await step(owner)
  assert.equal((await on.ended()).counts.succeeded, TOTAL)
  assert.equal((await on.now(mixed)).status, 'running')
  on.away = '-'
  for (const id of on.tasks.keys()) on.endTask(id, TaskStatus.SUCCEEDED)
  await on.clock.advance(60_000)
  await step(owner)
  assert.equal((await on.ended(mixed)).counts.succeeded, 9)
})

test('a step that takes long holds up no other batch', async () => {
  const other = await on.addBatch('acct_2/live', 1)
  const slow = Promise.withResolvers<Buffer>()
  const get: Blobs['get'] = async (key, range) => {
    if (key === on.batch.lines) await slow.promise
    return await on.blobs.get(key, range)
  }
  const owner = on.owner({ blobs: { ...on.blobs, get } })
  await owner.pass()
  while (on.tasks.size === 0) await turn()
  owner.addNews(other.tenant, other.id, new Map([[0, 'succeeded']]))
  while ((await on.now(other)).status === 'running') {
    await owner.pass()
    await turn()
  }
  assert.equal((await on.now()).counts.queued, TOTAL)
  slow.resolve(Buffer.alloc(0))
  await owner.settled()
  assert.equal(on.tasks.size, TOTAL + 1)
})

test('batches of which there is no news cost nothing, and one that is new or cancelled is seen at once', async () => {
  const asked: string[] = []
  const watched: Batches = {
    ...{ count: on.batches.count.bind(on.batches), write: on.batches.write.bind(on.batches) },
    async get(of, id) {
      asked.push(`get ${id}`)
      return await on.batches.get(of, id)
    },
    async find(index, query) {
      const found = await on.batches.find(index, query)
      asked.push(`find ${index} ${found.length}`)
      return found
    },
  }
  for (let n = 0; n < 20; n++) await on.addBatch(`acct_${n % 9}/live`, 3)
  const owner = on.owner({ batches: watched })
  await step(owner)
  asked.length = 0
  for (let pass = 0; pass < 20; pass++) {
    await on.clock.advance(1_000)
    await step(owner)
  }
  assert.deepEqual(new Set(asked), new Set(['find unseen 0']))
  const fresh = await on.addBatch('acct_9/live', 3)
  await step(owner)
  assert.ok(on.tasks.has(taskIdOf('task', fresh.id, 2)))
  const cancel = cancelBatch({ ...on.deps, wake: () => {} } as unknown as BatchDeps)
  const call = { values: createContextValues().set(principalKey, { tenant } as never) } as HandlerContext
  await cancel({ id: on.batch.id } as CancelBatchRequest, call)
  await step(owner)
  assert.equal(on.tasks.get(on.idOf(0))?.status, TaskStatus.CANCELLED)
})
