/** Batches that are cancelled. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { createContextValues, type HandlerContext } from '@connectrpc/connect'
import type { CancelBatchRequest } from '@millhand/api/gen/millhand/batch/v1/batch_pb.ts'
import { TaskStatus } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { CancelOutcome } from '@millhand/api/gen/millhand/compute/v1/task_request_pb.ts'
import { principalKey } from '@millhand/rpc'
import type { BatchDeps } from './batch-deps.ts'
import { type BatchesFixture, openBatches, range, step, TOTAL, tenant, turn } from './batch-owner.fixture.ts'
import { cancelBatch } from './rpc/cancel-batch.ts'
import { taskIdOf } from './task-ids.ts'

let on: BatchesFixture
beforeEach(async () => {
  on = await openBatches()
})
afterEach(() => on.close())

test('a call that has failed and goes on makes nothing that runs once the batch is cancelled', async () => {
  on.late = []
  const owner = on.owner()
  await step(owner)
  const [add] = on.late
  on.late = undefined
  on.queue = 40
  await on.clock.advance(2_000)
  await step(owner)
  assert.equal(on.tasks.size, 40)
  await on.requestCancel(on.batch)
  await step(owner)
  on.queue = Number.POSITIVE_INFINITY
  add?.()
  assert.deepEqual([...new Set([...on.tasks.values()].map(({ status }) => status))], [TaskStatus.CANCELLED])
  await on.clock.advance(30_000)
  await step(owner)
  const { status, counts } = await on.ended()
  assert.deepEqual([status, counts.cancelled], ['cancelled', TOTAL])
})

test("a cancel stops the tasks of models where employees' can not be reached", async () => {
  const mixed = await on.addBatch('acct_2/live', 9, true)
  const owner = on.owner()
  await step(owner)
  await on.requestCancel(mixed)
  on.away = 'wtask_'
  for (const one of [owner, on.owner()]) {
    for (const [id, task] of on.tasks) on.tasks.set(id, { ...task, status: TaskStatus.QUEUED })
    await step(one)
    const statuses = range(0, 9).map(index => on.tasks.get(taskIdOf('task', mixed.id, index))?.status)
    assert.deepEqual(new Set(statuses), new Set([TaskStatus.CANCELLED, undefined]))
    assert.equal((await on.now(mixed)).status, 'cancelling')
  }
  on.away = '-'
  await on.clock.advance(60_000)
  await step(owner)
  assert.equal((await on.ended(mixed)).status, 'cancelled')
})

test('a batch whose tasks have all ended can not be cancelled while its files are written', async () => {
  const slow = Promise.withResolvers<void>()
  on.receive = () => slow.promise
  await on.run(on.owner(), () => TaskStatus.SUCCEEDED)
  while ((await on.now()).tasks_ended_at === undefined) await turn()
  const cancel = cancelBatch({ ...on.deps, wake: () => {} } as unknown as BatchDeps)
  const call = { values: createContextValues().set(principalKey, { tenant } as never) } as HandlerContext
  const answer = await cancel({ id: on.batch.id } as CancelBatchRequest, call)
  assert.equal(answer.outcome, CancelOutcome.ALREADY_FINISHED)
  slow.resolve()
  const { status, cancel_requested_at } = await on.ended()
  assert.deepEqual([status, cancel_requested_at], ['completed', undefined])
})
