/** What becomes of a claim where the input of one of its tasks can't be had. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { TaskStatus, TaskType } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import { type ManualClock, manualClock } from '@millhand/process'
import { openSqlite, type SqliteDatabase } from '@millhand/store/sqlite'
import { errandCollections } from './errand-service.fixture.ts'
import { as, claim, create, createReplicas, type Replica } from './replicas.fixture.ts'

describe('a task whose input', () => {
  let folder: string
  let db: SqliteDatabase
  let clock: ManualClock
  let replicas: ReturnType<typeof createReplicas>
  let owner: Replica
  /** What reading a large input comes to, where it is not read. */
  let read: (() => undefined) | undefined
  /** Whether the store takes no end of a run. */
  let fails = false

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millhand-unread-'))
    db = openSqlite({ file: join(folder, 'millhand.db') })
    read = undefined
    fails = false
    const blobs = await filesystemBlobs(join(folder, 'blobs'))
    const { tasks, emissions } = errandCollections(db)
    replicas = createReplicas({
      tasks: {
        get: (tenant, id) => tasks.get(tenant, id),
        find: (index, query) => tasks.find(index, query),
        count: (...words) => tasks.count(...words),
        async write(change) {
          if (fails && change.kind === 'replace' && change.document.status !== 'running') throw new Error('it is away')
          return await tasks.write(change)
        },
      },
      emissions,
      blobs: { ...blobs, get: async key => (read ? read() : blobs.get(key)) },
    })
    clock = manualClock(Date.UTC(2026, 10, 21, 12))
    owner = replicas.start('a', clock)
    owner.own()
  })
  afterEach(async () => {
    fails = false
    await replicas.end()
    await db.close()
    await rm(folder, { recursive: true })
  })

  const large = { type: TaskType.INFERENCE, model: 'walk', input: 'x'.repeat(50_000) }

  for (const [what, comesTo] of [
    ['is gone', () => undefined],
    [
      'can’t be read',
      () => {
        throw new Error('no such disk')
      },
    ],
  ] as const)
    it(`${what} keeps none of its neighbours, also where the store can’t be told`, async () => {
      const { id: unread } = await owner.tasks.createTask(large, as)
      const { id: sound } = await create(owner)
      read = comesTo
      fails = true
      const leases = await claim(owner)
      read = undefined
      assert.deepEqual(
        leases.map(({ workId }) => workId),
        [sound],
      )
      assert.equal((await owner.tasks.getTask({ id: unread }, as)).status, TaskStatus.RUNNING, 'its lease runs out')
    })

  it('is gone fails, and one that can’t be read is tried again', async () => {
    const { id: gone } = await owner.tasks.createTask(large, as)
    read = () => undefined
    assert.deepEqual(await claim(owner, 0), [])
    const { status, error } = await owner.tasks.getTask({ id: gone }, as)
    assert.deepEqual([status, error?.code], [TaskStatus.FAILED, 'input_missing'])
    read = undefined
    const { id: unread } = await owner.tasks.createTask(large, as)
    read = () => {
      throw new Error('no such disk')
    }
    assert.deepEqual(await claim(owner, 0), [])
    read = undefined
    assert.equal((await owner.tasks.getTask({ id: unread }, as)).status, TaskStatus.QUEUED)
  })
})
