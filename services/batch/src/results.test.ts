/** How batches end, and the files that they have then. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { fail } from '@millhand/api'
import { TaskStatus } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { type BatchesFixture, openBatches, range, step, TOTAL, tenant, turn, WINDOW_S } from './batch-owner.fixture.ts'

let on: BatchesFixture
beforeEach(async () => {
  on = await openBatches()
})
afterEach(() => on.close())

const failAfter = (most: number) => (index: number) => (index < most ? TaskStatus.SUCCEEDED : TaskStatus.FAILED)

test('a file that is too large goes without its outputs, and the batch says so', async () => {
  on.receive = (_, text) => {
    if (text.includes('"output":7')) throw fail('payload_too_large', 'A file has at most so much.')
  }
  await on.run(on.owner(), failAfter(200))
  const { status, output_file, error_file, results_error } = await on.ended()
  assert.deepEqual([status, results_error?.code], ['completed', 'output_too_large'])
  assert.deepEqual([output_file, error_file], ['output.jsonl', 'error.jsonl'])
  assert.deepEqual(
    on.linesOf('output.jsonl'),
    range(0, 200).map(index => ({
      custom_id: `c${index}`,
      index,
      task_id: on.idOf(index),
      output_omitted: true,
      reason: 'output_too_large',
    })),
  )
})

test('a batch whose account has no storage left ends without its files', async () => {
  on.receive = () => {
    throw fail('storage_quota_exceeded', 'There is no room.')
  }
  await on.run(on.owner(), failAfter(200))
  const { status, output_file, error_file, results_error, counts } = await on.ended()
  assert.deepEqual([status, results_error?.code], ['completed', 'storage_quota_exceeded'])
  assert.deepEqual([output_file, error_file], [undefined, undefined])
  assert.deepEqual([counts.succeeded, counts.failed], [200, TOTAL - 200])
})

test('a batch that is slow to end holds up no other, and one that can not end is tried ever more rarely', async () => {
  const slow = Promise.withResolvers<void>()
  let tries = 0
  on.receive = async (_, __, of) => {
    if (of === tenant) return slow.promise
    if (of !== 'acct_3/live') return
    tries++
    throw fail('unavailable', 'Compute is away.')
  }
  const owner = on.owner()
  const [other, broken] = [await on.addBatch('acct_2/live', 1), await on.addBatch('acct_3/live', 1)]
  await step(owner)
  for (const id of on.tasks.keys()) on.endTask(id, TaskStatus.SUCCEEDED)
  await on.clock.advance(30_000)
  await step(owner)
  assert.equal((await on.ended(other)).status, 'completed')
  assert.equal((await on.now()).status, 'running')
  for (let second = 0; second < 100; second++) {
    await on.clock.advance(1_000)
    await step(owner)
    for (let turns = 0; turns < 50; turns++) await turn()
  }
  assert.ok(tries >= 3 && tries <= 8, `${tries} tries`)
  assert.equal((await on.now(broken)).status, 'running')
  slow.resolve()
  assert.equal((await on.ended()).status, 'completed')
})

test('a line whose output was deleted before the end says so, and so does the batch', async () => {
  for (const index of range(0, 5)) on.deleted.add(on.idOf(index))
  await on.run(on.owner(), () => TaskStatus.SUCCEEDED)
  assert.equal((await on.ended()).results_error?.code, 'data_deleted')
  const lines = on.linesOf('output.jsonl')
  assert.equal(lines.length, TOTAL)
  assert.deepEqual(
    lines.slice(4, 6).map(({ output, output_omitted, reason }) => [output, output_omitted, reason]),
    [
      [undefined, true, 'data_deleted'],
      [7, undefined, undefined],
    ],
  )
})

test('the end of the last task is noted when it is known, also where the files wait for those of other batches', async () => {
  const slow = Promise.withResolvers<void>()
  on.receive = () => slow.promise
  const owner = on.owner()
  await step(owner)
  const others = [await on.addBatch(tenant, 1), await on.addBatch(tenant, 1)]
  owner.addNews(tenant, on.batch.id, new Map(range(1, TOTAL).map(index => [index, 'succeeded'])))
  for (const other of others) {
    await step(owner)
    owner.addNews(tenant, other.id, new Map([[0, 'succeeded']]))
  }
  await step(owner)
  await on.clock.advance(60_000)
  const endedAt = on.clock.now()
  owner.addNews(tenant, on.batch.id, new Map([[0, 'succeeded']]))
  await step(owner)
  assert.equal((await on.now()).tasks_ended_at, endedAt)
  await on.clock.advance(2 * WINDOW_S * 1000)
  slow.resolve()
  const { status, tasks_ended_at } = await on.ended()
  assert.deepEqual([status, tasks_ended_at], ['completed', endedAt])
})
