import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt'
import { createIds } from '@millhand/api'
import { TaskType } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import { manualClock } from '@millhand/process'
import { operationKey } from '@millhand/rpc'
import { openSqlite } from '@millhand/store/sqlite'
import { callOf, openCompute } from '../compute.fixture.ts'

const noon = Date.UTC(2026, 10, 21, 12)

const [, operation = ''] = createIds({ now: () => noon })('task').split('_')
const large = { type: TaskType.INFERENCE, model: 'echo', input: 'x'.repeat(100_000) }

async function open(t: TestContext, now = noon) {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-repeated-'))
  const db = openSqlite({ file: join(folder, 'millhand.db') })
  const clock = manualClock(now)
  const blobs = await filesystemBlobs(join(folder, 'blobs'))
  const { compute, stop } = openCompute({ db, blobs, clock })
  t.after(async () => {
    await stop()
    await db.close()
    await rm(folder, { recursive: true })
  })
  const contextValues = callOf('acct_1').set(operationKey, operation)
  const kept = async () => {
    const keys: string[] = []
    for await (const { key } of blobs.list('')) keys.push(key)
    return keys
  }
  return {
    db,
    clock,
    blobs,
    kept,
    compute,
    contextValues,
    create: () => compute.createTask(large, { contextValues }),
    async removeData() {
      await compute.cancelTask({ id: `task_${operation}` }, { contextValues })
      await compute.deleteTaskData({ id: `task_${operation}` }, { contextValues })
    },
  }
}

test('a create of an operation makes one task, one event and one input, however often it is called', async t => {
  const { db, clock, create, removeData, kept } = await open(t)
  const atOnce = await Promise.all(Array.from({ length: 4 }, create))
  clock.step(60_000)
  const tasks = [...atOnce, await create()]
  assert.deepEqual(new Set(tasks.map(({ id }) => id)), new Set([`task_${operation}`]))
  assert.equal(new Set(tasks.map(({ createdAt }) => createdAt?.seconds)).size, 1)
  for (const { input } of tasks) assert.equal(input?.length, 100_000)
  assert.equal(db.lastEvent, 1)
  assert.equal((await kept()).length, 1)
  await removeData()
  await create()
  assert.deepEqual(await kept(), [])
})

test('a try that is slow to keep its input leaves none behind where another has made the task', async t => {
  const { blobs, create, removeData, kept } = await open(t)
  const { put } = blobs
  const begun = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  blobs.put = async (...args) => {
    blobs.put = put
    begun.resolve()
    await gate.promise
    return await put(...args)
  }
  const slow = create()
  await begun.promise
  await create()
  await removeData()
  gate.resolve()
  assert.equal((await slow).input, undefined)
  assert.deepEqual(await kept(), [])
})

for (const [when, now] of [
  ['is taken up an hour later', noon + 3_600_000],
  ['was begun by a clock that is ahead', noon - 60_000],
] as const) {
  test(`the task of an operation that ${when} is listed by the time that it shows, and waits from now on`, async t => {
    const { create, compute, contextValues } = await open(t, now)
    const { id, createdAt, queueExpiresAt } = await create()
    assert.equal(createdAt && timestampMs(createdAt), noon)
    assert.equal(queueExpiresAt && timestampMs(queueExpiresAt), now + 86_400_000)
    const list = async (afterMs: number) => {
      const { data } = await compute.listTasks({ createdAfter: timestampFromMs(afterMs) }, { contextValues })
      return data.map(task => task.id)
    }
    assert.deepEqual([await list(noon - 1), await list(noon)], [[id], []])
  })
}
