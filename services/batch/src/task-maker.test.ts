/** The tasks that owners make of lines. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { TaskStatus } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import type { LoggedEvent } from '@millhand/eventlog'
import {
  type BatchesFixture,
  gone,
  inference,
  openBatches,
  range,
  step,
  TOTAL,
  tenant,
  WINDOW_S,
} from './batch-owner.fixture.ts'
import { takePlans } from './plan-changes.ts'
import { taskIdOf } from './task-ids.ts'

let on: BatchesFixture
beforeEach(async () => {
  on = await openBatches()
})
afterEach(() => on.close())

test('a batch that is larger than the queue goes on as that empties, and does not ask all the time', async () => {
  on.queue = 30
  const owner = on.owner()
  for (let pass = 0; pass < 1_000; pass++) {
    await on.clock.advance(50)
    await step(owner)
  }
  assert.equal(on.tasks.size, 30)
  assert.ok(on.adds < 30, `${on.adds} calls`)
  for (let made = 0; made < TOTAL; ) {
    const some = [...on.tasks].filter(([, { status }]) => status === TaskStatus.QUEUED).map(([id]) => id)
    for (const id of some) on.endTask(id, TaskStatus.SUCCEEDED)
    owner.addNews(tenant, on.batch.id, new Map(range(made, made + some.length).map(index => [index, 'succeeded'])))
    made += some.length
    await step(owner)
  }
  assert.equal((await on.ended()).counts.succeeded, TOTAL)
  assert.deepEqual(new Set([...on.tasks.values()].map(({ asked }) => asked)), new Set([1]))
})

/** The event of a change of plans. */
const changed = (account_id: string, compute: unknown): LoggedEvent => ({
  ...{ id: 'evt_1', type: 'account.plans_changed', key: account_id, topic: 'millhand.identity.v1' },
  ...{ time: 0, position: '1' },
  value: JSON.stringify({ account_id, data: { object: { compute, developer: 'free', workforce: 'starter' } } }),
})

test('a change of plans while a batch is being accepted reaches its tasks, whichever owner makes them', async () => {
  await takePlans(on.deps, [changed('acct_2', 'growth')], on.deps.log)
  await takePlans(on.deps, [changed('acct_2', 'scale')], on.deps.log)
  // Its request had the plans before; it is written now.
  const accepted = await on.addBatch('acct_2/live', 1)
  await step(on.owner())
  assert.equal((await on.now(accepted)).plans.compute, 'scale')
  assert.equal((await on.now()).plans.compute, '')
  assert.equal(on.plans.get(taskIdOf('task', accepted.id, 0)), 'scale')
})

test('a change of plans during the first step of a batch is the last', async () => {
  await takePlans(on.deps, [changed('acct_2', 'growth')], on.deps.log)
  const accepted = await on.addBatch('acct_2/live', 1)
  const { changedPlans } = on.deps
  const get: typeof changedPlans.get = async (tenant, id) => {
    const kept = await changedPlans.get(tenant, id)
    if (kept?.plans.compute === 'growth') await takePlans(on.deps, [changed('acct_2', 'scale')], on.deps.log)
    return kept
  }
  const slow = Object.assign(Object.create(changedPlans), { get })
  await step(on.owner({ changedPlans: slow }))
  assert.equal((await on.now(accepted)).plans.compute, 'scale')
})

test('tasks that are made after a change of plans have those that the account has then', async () => {
  const other = await on.addBatch('acct_2/live', 1)
  const owner = on.owner()
  on.queue = 100
  await step(owner)
  assert.equal(on.plan, '')
  const events = [
    changed('acct_1', 'growth'),
    changed('acct_3', 'scale'),
    changed('acct_1', 7),
    changed('acct_1', 'scale'),
  ]
  await takePlans(on.deps, events, on.deps.log)
  await takePlans(on.deps, events, on.deps.log)
  assert.deepEqual([(await on.now()).plans.compute, (await on.now(other)).plans.compute], ['scale', ''])
  for (const index of range(0, 100)) on.endTask(on.idOf(index), TaskStatus.SUCCEEDED)
  owner.addNews(tenant, on.batch.id, new Map(range(0, 100).map(index => [index, 'succeeded'])))
  await step(owner)
  assert.equal(on.plan, 'scale')
})

test('lines that can not be made any more have failed at once, and name why', async () => {
  for (const index of range(0, 120)) on.refused.add(on.idOf(index))
  const owner = on.owner()
  await step(owner)
  const { counts } = await on.now()
  assert.deepEqual([counts.failed, counts.queued], [120, TOTAL - 120])
  for (const index of range(120, TOTAL)) on.endTask(on.idOf(index), TaskStatus.SUCCEEDED)
  await on.clock.advance(30_000)
  await step(owner)
  assert.equal((await on.ended()).status, 'completed')
  assert.deepEqual(
    on.linesOf('error.jsonl').map(({ index, error }) => [index, error.message]),
    range(0, 120).map(index => [index, gone.message]),
  )
})

test('a line that the running version does not accept any more fails by itself', async () => {
  const valid = JSON.stringify(inference)
  const lines = Array.from({ length: TOTAL }, (_, n) => (n === 7 ? '{"type":"of before"}' : valid))
  await on.blobs.put(on.batch.lines, Buffer.from(lines.map(line => `${line}\n`).join('')))
  const owner = on.owner()
  await step(owner)
  assert.equal(on.tasks.size, TOTAL - 1)
  assert.equal((await on.now()).counts.failed, 1)
  for (const id of on.tasks.keys()) on.endTask(id, TaskStatus.SUCCEEDED)
  await on.clock.advance(30_000)
  await step(owner)
  assert.equal((await on.ended()).counts.succeeded, TOTAL - 1)
  const [failed] = on.linesOf('error.jsonl')
  assert.deepEqual([failed.index, failed.error.code], [7, 'invalid_parameter'])
})

test('a queue timeout of a line that is shorter than the window is its own, also in a batch that ends late', async () => {
  const timeout = JSON.stringify({ ...inference, queue_timeout_s: 60 })
  const lines = Array.from({ length: TOTAL }, (_, n) => (n === 0 ? timeout : JSON.stringify(inference)))
  await on.blobs.put(on.batch.lines, Buffer.from(lines.map(line => `${line}\n`).join('')))
  const owner = on.owner()
  await step(owner)
  assert.equal(on.tasks.get(on.idOf(0))?.queueTimeoutS, 60)
  await on.clock.advance(WINDOW_S * 1000)
  await on.run(owner, index => (index === 0 ? TaskStatus.EXPIRED : TaskStatus.SUCCEEDED))
  assert.equal((await on.ended()).status, 'completed')
  assert.deepEqual(
    on.linesOf('error.jsonl').map(({ index, error }) => [index, error.code]),
    [[0, 'queue_timeout']],
  )
})

test('the time that a batch waits begins when it was accepted, and its data outlives its window', async () => {
  await on.run(on.owner(), () => TaskStatus.SUCCEEDED)
  assert.deepEqual(on.batchTimes, [on.batch.accepted_at, on.batch.expires_at + 90_000_000])
})
test('after the completion window nothing is made, what was done is kept, and the rest is named', async () => {
  const owner = on.owner()
  on.room = 70
  await step(owner)
  for (const index of range(0, 60)) on.endTask(on.idOf(index), TaskStatus.SUCCEEDED)
  assert.deepEqual(new Set([...on.tasks.values()].map(task => task.queueTimeoutS)), new Set([WINDOW_S]))
  const made = on.tasks.size
  assert.equal(made, 70)
  for (const index of range(60, made)) on.endTask(on.idOf(index), TaskStatus.EXPIRED)
  await on.clock.advance(WINDOW_S * 1000)
  on.room = Number.POSITIVE_INFINITY
  await step(owner)
  const { status, counts } = await on.ended()
  assert.deepEqual([status, on.tasks.size], ['expired', made])
  assert.deepEqual([counts.succeeded, counts.expired], [60, TOTAL - 60])
  assert.equal(on.linesOf('output.jsonl').length, 60)
  const rest = on.linesOf('error.jsonl')
  assert.deepEqual(
    rest.map(({ index, task_id, error }) => [index, task_id, error.code]),
    range(60, TOTAL).map(index => [index, index < made ? on.idOf(index) : undefined, 'batch_expired']),
  )
})

test('tasks of employees and of models are one batch, in their order, whatever owner makes them', async () => {
  const mixed = await on.addBatch('acct_2/live', 120, true)
  const idAt = (index: number) => taskIdOf(index % 3 === 2 ? 'wtask' : 'task', mixed.id, index)
  const first = on.owner()
  on.room = 10
  await step(first)
  on.room = Number.POSITIVE_INFINITY
  const second = on.owner()
  await step(second)
  for (const index of range(0, 120)) on.endTask(idAt(index), index < 100 ? TaskStatus.SUCCEEDED : TaskStatus.FAILED)
  await step(on.owner())
  const { counts } = await on.ended(mixed)
  assert.deepEqual([counts.succeeded, counts.failed], [100, 20])
  assert.deepEqual(
    [...on.linesOf('output.jsonl'), ...on.linesOf('error.jsonl')].map(({ index, custom_id, task_id }) => [
      index,
      custom_id,
      task_id,
    ]),
    range(0, 120).map(index => [index, `c${index}`, idAt(index)]),
  )
})
