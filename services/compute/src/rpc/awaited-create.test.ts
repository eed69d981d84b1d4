/** A create whose caller waits for the end: how much is written for it, and what is left where that fails or is lost. */
import assert from 'node:assert/strict'
import { copyFileSync, existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it, mock } from 'node:test'
import { codeOf, createIds } from '@millhand/api'
import { type Task, TaskStatus, TaskType } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import type { Lease } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import { Renewed_Verdict } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import { type ManualClock, manualClock } from '@millhand/process'
import { operationKey, waitMsKey } from '@millhand/rpc'
import { openSqlite, type SqliteDatabase } from '@millhand/store/sqlite'
import { callOf, openCompute } from '../compute.fixture.ts'

const noon = Date.UTC(2026, 10, 21, 12)
const executorId = 'exec_a'
const pool = 'live/onnx'

describe('a create whose caller waits for the end', () => {
  let folder: string
  let db: SqliteDatabase
  let clock: ManualClock
  let service: ReturnType<typeof openCompute>

  beforeEach(async () => {
    // What rests is written with what comes next, however long the machine takes for that.
    mock.timers.enable({ apis: ['setTimeout'] })
    folder = await mkdtemp(join(tmpdir(), 'millhand-awaited-'))
    await open(join(folder, 'millhand.db'))
  })
  afterEach(async () => {
    await service.stop()
    await db.close()
    mock.timers.reset()
    await rm(folder, { recursive: true })
  })

  async function open(file: string) {
    clock = manualClock(noon)
    db = openSqlite({ file })
    service = openCompute({ db, blobs: await filesystemBlobs(join(folder, 'blobs')), clock, isExecutorInProcess: true })
  }

  const create = (waitMs = 250, operation?: string) =>
    service.compute.createTask(
      { type: TaskType.INFERENCE, model: 'echo', input: 'hello' },
      { contextValues: callOf('acct_1').set(waitMsKey, waitMs).set(operationKey, operation) },
    )
  /** What is lent by a claim that waits. */
  const claim = async (): Promise<Lease[]> => {
    const { runs } = await service.leases.claim({ executorId, pool, runs: 1, waitMs: 1_000 })
    return runs.flatMap(({ leases }) => leases)
  }
  const finish = (leases: readonly Lease[]) =>
    service.leases.finish({
      executorId,
      pool,
      results: leases.map(({ id: leaseId, tenant, workId, attempt }) => ({
        ...{ leaseId, tenant, workId, attempt, computeMs: 1, groupVersion: 'sha256:a' },
        ...{ engineKind: 'onnx', engineName: 'onnxruntime', provider: 'cpu' },
        outcome: { case: 'output' as const, value: '"hello"' },
      })),
    })
  const renew = async (leases: readonly Lease[]) => {
    const renewals = leases.map(({ id, tenant, workId }) => ({ id, tenant, workId }))
    const { leases: renewed } = await service.leases.renew({ executorId, pool, leases: renewals })
    return renewed.map(({ verdict }) => verdict)
  }
  const events = () => db.read<[string, string]>('SELECT key, type FROM event_log ORDER BY seq')
  const rows = () => db.read<[number, string]>('SELECT version, body FROM tasks ORDER BY id')
  const statuses = () => rows().map(([, body]) => JSON.parse(body).status)
  const lived = (id: string) => ['task.queued', 'task.started', 'task.succeeded'].map(type => [id, type])

  it('costs one transaction and one row, and has all its events and its whole history', async () => {
    const ended: Task[] = []
    for (let n = 0; n < 20; n++) {
      const before = db.commits
      const creating = create()
      await finish(await claim())
      ended.push(await creating)
      assert.equal(db.commits - before, 1)
    }
    assert.ok(ended.every(({ status, output }) => status === TaskStatus.SUCCEEDED && output === '"hello"'))
    assert.deepEqual(
      events(),
      ended.flatMap(({ id }) => lived(id)),
    )
    for (const [version, body] of rows()) {
      const { history } = JSON.parse(body)
      assert.deepEqual(
        [version, history.map(({ version, status }: { version: number; status: string }) => [version, status])],
        [
          3,
          [
            [1, 'queued'],
            [2, 'running'],
            [3, 'succeeded'],
          ],
        ],
      )
    }
  })

  it('costs one more where it is of an operation, whose task is durable before its run', async () => {
    const [, operation] = createIds({ now: () => noon })('task').split('_')
    const before = db.commits
    const creating = create(250, operation)
    const leases = await claim()
    assert.deepEqual(statuses(), ['queued'])
    await finish(leases)
    const { id } = await creating
    assert.deepEqual([db.commits - before, events()], [2, lived(id)])
    assert.equal((await create(250, operation)).id, id)
    assert.equal(events().length, 3)
  })

  it('is answered with the task as it is when the time for that is over', async () => {
    const creating = create()
    const leases = await claim()
    for (const { workId: id } of leases) await service.compute.getTask({ id }, { contextValues: callOf('acct_1') })
    await clock.advance(250)
    const { status } = await creating
    assert.equal(status, TaskStatus.RUNNING)
    assert.deepEqual(statuses(), ['running'])
    await finish(leases)
    assert.deepEqual(statuses(), ['succeeded'])
  })

  it('costs no more where its lease is renewed before its end', async () => {
    const before = db.commits
    const creating = create()
    const leases = await claim()
    assert.deepEqual(await renew(leases), [Renewed_Verdict.KEPT])
    assert.deepEqual(rows(), [])
    await finish(leases)
    const { id, status } = await creating
    assert.deepEqual([status, db.commits - before, events()], [TaskStatus.SUCCEEDED, 1, lived(id)])
  })

  it('leaves nothing where the process is lost before the end is written, and the next runs on what is there', async () => {
    const creating = create()
    const leases = await claim()
    assert.deepEqual([leases.length, rows(), events()], [1, [], []])
    const copy = join(folder, 'lost.db')
    for (const end of ['', '-wal'])
      if (existsSync(`${join(folder, 'millhand.db')}${end}`))
        copyFileSync(`${join(folder, 'millhand.db')}${end}`, `${copy}${end}`)
    await finish(leases)
    await creating
    await service.stop()
    await db.close()
    await open(copy)
    assert.deepEqual([rows(), events()], [[], []])
  })

  it('fails where its end can’t be stored, and nobody has heard of it; the pool goes on when it can', async () => {
    const creating = create()
    const leases = await claim()
    assert.deepEqual(await renew(leases), [Renewed_Verdict.KEPT])
    db.read('PRAGMA query_only = 1')
    const answers = await Promise.allSettled([creating, finish(leases)])
    assert.deepEqual(
      answers.map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    db.read('PRAGMA query_only = 0')
    assert.deepEqual([rows(), events()], [[], []])
    const { accepted } = await finish(leases)
    assert.deepEqual(accepted, [false])
    assert.deepEqual(await renew(leases), [Renewed_Verdict.LOST])

    const { id } = await create(0)
    await finish(await claim())
    assert.deepEqual(events(), lived(id))
  })

  it('runs a task again that was queued, where the claim and the end of its first run can’t be stored', async () => {
    const { id } = await create(0)
    const first = await claim()
    db.read('PRAGMA query_only = 1')
    await assert.rejects(finish(first), error => codeOf(error) !== undefined)
    db.read('PRAGMA query_only = 0')
    assert.deepEqual([statuses(), (await finish(first)).accepted], [['queued'], [false]])
    await clock.advance(1_000)
    const second = await claim()
    assert.deepEqual(
      second.map(({ workId, attempt }) => [workId, attempt]),
      [[id, 1]],
    )
    await finish(second)
    assert.deepEqual(events(), lived(id))
  })
})
