import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { ConnectError } from '@connectrpc/connect'
import { codeOf } from '@millhand/api'
import { TaskPriority, TaskStatus, TaskType } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { CancelOutcome } from '@millhand/api/gen/millhand/compute/v1/task_request_pb.ts'
import type { Lease } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import { Renewed_Verdict } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import { type ManualClock, manualClock } from '@millhand/process'
import type { Document } from '@millhand/store'
import { openSqlite, type SqliteDatabase } from '@millhand/store/sqlite'
import { callOf, openCompute } from './compute.fixture.ts'

const start = Date.UTC(2026, 10, 21)

describe('compute', () => {
  let folder: string
  let db: SqliteDatabase
  let clock: ManualClock
  let service: ReturnType<typeof openCompute>

  async function open(ms: number) {
    clock = manualClock(ms)
    db = openSqlite({ file: join(folder, 'millhand.db') })
    service = openCompute({ db, blobs: await filesystemBlobs(join(folder, 'blobs')), clock })
  }
  async function stop() {
    await service.stop()
    await db.close()
  }

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millhand-compute-'))
    await open(start)
  })
  after(async () => {
    await stop()
    await rm(folder, { recursive: true })
  })

  /** Time passes, and what it brings about is written: a write that is asked for later is answered later. */
  async function pass(ms: number): Promise<void> {
    const barrier = db.collection<Document, never>({ name: 'barrier', indexes: {} })
    for (let left = ms; left > 0; left -= 500) {
      await clock.advance(Math.min(500, left))
      await barrier.write({ kind: 'insert', document: { tenant: 'test', id: String(barriers++) }, events: [] })
    }
  }
  let barriers = 0

  const as = (accountId: string, mode: 'live' | 'test' = 'live') => ({
    contextValues: callOf(accountId, 'enterprise', mode),
  })
  const create = (account: string, more: object = {}) =>
    service.compute.createTask({ type: TaskType.INFERENCE, model: 'echo', input: 'hello', ...more }, as(account))
  const get = (account: string, id: string) => service.compute.getTask({ id }, as(account))
  const claim = async (runs = 1, waitMs = 0) => {
    const { runs: claimed } = await service.leases.claim({ executorId: 'exec_a', pool: 'live/onnx', runs, waitMs })
    return claimed.flatMap(run => run.leases)
  }
  const finish = async (lease: Lease | undefined, outcome: object = { case: 'output', value: '"done"' }) => {
    assert.ok(lease)
    const result = {
      leaseId: lease.id,
      tenant: lease.tenant,
      workId: lease.workId,
      attempt: lease.attempt,
      outcome,
      computeMs: 5,
    }
    const { accepted } = await service.leases.finish({ executorId: 'exec_a', results: [result as never] })
    return accepted[0]
  }
  const refusal = async (call: Promise<unknown>) => {
    const error = await call.then(
      () => assert.fail('it was not refused'),
      (error: ConnectError) => error,
    )
    return codeOf(error)
  }

  it('a task goes from its creation through a run to its output', async () => {
    const task = await create('acct_a', { metadata: { page: '7' } })
    assert.equal(task.status, TaskStatus.QUEUED)
    const [lease] = await claim()
    assert.deepEqual([lease?.workId, lease?.input, lease?.attempt], [task.id, 'hello', 1])
    assert.equal((await get('acct_a', task.id)).status, TaskStatus.RUNNING)
    assert.equal(await finish(lease), true)
    const done = await get('acct_a', task.id)
    assert.deepEqual(
      [done.status, done.output, done.input, done.resourceVersion],
      [TaskStatus.SUCCEEDED, '"done"', 'hello', 3],
    )
    assert.equal(await finish(lease), false)
  })

  it('nothing crosses accounts or modes', async () => {
    const task = await create('acct_a')
    for (const other of [as('acct_b'), as('acct_a', 'test')]) {
      assert.equal(await refusal(service.compute.getTask({ id: task.id }, other)), 'not_found')
      assert.equal(await refusal(service.compute.cancelTask({ id: task.id }, other)), 'not_found')
      assert.equal(await refusal(service.compute.waitTask({ id: task.id, timeoutMs: 1 }, other)), 'not_found')
      assert.equal((await service.compute.listTasks({}, other)).data.length, 0)
    }
    await service.compute.cancelTask({ id: task.id }, as('acct_a'))
  })

  it('a lost lease comes back after 10 s, and its old result is refused', async () => {
    const task = await create('acct_a')
    const [lost] = await claim()
    await pass(10_500)
    assert.equal((await get('acct_a', task.id)).status, TaskStatus.QUEUED)
    await pass(1_000)
    const [again] = await claim()
    assert.deepEqual([again?.workId, again?.attempt], [task.id, 2])
    assert.equal(await finish(lost), false)
    assert.equal(await finish(again), true)
  })

  it('renewing keeps a lease for ever, and says when to stop', async () => {
    const task = await create('acct_a')
    const [lease] = await claim()
    const renew = async () => {
      const { leases } = await service.leases.renew({
        executorId: 'exec_a',
        leases: [{ id: lease?.id ?? '', tenant: lease?.tenant ?? '', workId: task.id }],
      })
      return leases[0]?.verdict
    }
    for (let s = 0; s < 30; s++) {
      await pass(1_000)
      assert.equal(await renew(), Renewed_Verdict.KEPT)
    }
    const { outcome } = await service.compute.cancelTask({ id: task.id }, as('acct_a'))
    assert.equal(outcome, CancelOutcome.REQUESTED)
    assert.equal(await renew(), Renewed_Verdict.CANCEL)
    assert.equal(await finish(lease, { case: 'output', value: '1' }), true)
    assert.equal((await get('acct_a', task.id)).status, TaskStatus.CANCELLED)
    assert.equal(await renew(), Renewed_Verdict.LOST)
  })

  it('expires what waited too long, and never what was run before', async () => {
    const waits = await create('acct_a', { queueTimeoutS: 60 })
    await pass(59_000)
    assert.equal((await get('acct_a', waits.id)).status, TaskStatus.QUEUED)
    await pass(1_500)
    assert.equal((await get('acct_a', waits.id)).status, TaskStatus.EXPIRED)
    assert.deepEqual(await claim(), [])
  })

  it('a claim that waits gets what comes, and one that is asked again ends', async () => {
    const first = claim(1, 30_000)
    const second = claim(1, 30_000)
    assert.deepEqual(await first, [])
    const task = await create('acct_a')
    const [lease] = await second
    assert.equal(lease?.workId, task.id)
    await finish(lease)
  })

  it('a claim tells how long it waited for the leases that it gives', async () => {
    const waiting = service.leases.claim({ executorId: 'exec_a', pool: 'live/onnx', runs: 1, waitMs: 30_000 })
    await pass(20_000)
    await create('acct_a')
    const { runs, waitedMs } = await waiting
    assert.equal(waitedMs, 20_000)
    await finish(runs[0]?.leases[0])
  })

  it('waits for the end and for a change, and no longer than asked', async () => {
    const task = await create('acct_a')
    const change = service.compute.waitTask({ id: task.id, timeoutMs: 60_000, afterVersion: 1 }, as('acct_a'))
    const end = service.compute.waitTask({ id: task.id, timeoutMs: 60_000 }, as('acct_a'))
    const [lease] = await claim()
    assert.equal((await change).status, TaskStatus.RUNNING)
    const short = service.compute.waitTask({ id: task.id, timeoutMs: 2_000 }, as('acct_a'))
    await pass(2_000)
    assert.equal((await short).status, TaskStatus.RUNNING)
    await finish(lease)
    assert.equal((await end).status, TaskStatus.SUCCEEDED)
  })

  it('keeps a large input out of the record, and removes it with the data', async () => {
    const input = 'ü'.repeat(100_000)
    const task = await create('acct_a', { input })
    const [lease] = await claim()
    assert.equal(lease?.input, input)
    assert.equal(await refusal(service.compute.deleteTaskData({ id: task.id }, as('acct_a'))), 'invalid_state')
    await finish(lease)
    assert.equal((await get('acct_a', task.id)).input, input)
    for (const _ of [1, 2]) {
      const bare = await service.compute.deleteTaskData({ id: task.id }, as('acct_a'))
      assert.deepEqual([bare.input, bare.output, bare.status], [undefined, undefined, TaskStatus.SUCCEEDED])
    }
  })

  it('lists by page without loss or repeat while new tasks come', async () => {
    const ids: string[] = []
    for (let i = 0; i < 7; i++) ids.unshift((await create('acct_list', { metadata: { odd: String(i % 2) } })).id)
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await service.compute.listTasks(
        { limit: 3, ...(cursor !== undefined && { cursor }) },
        as('acct_list'),
      )
      seen.push(...page.data.map(task => task.id))
      cursor = page.nextCursor
      await create('acct_list', { metadata: { odd: 'new' } })
    } while (cursor !== undefined)
    assert.deepEqual(seen, ids)
    const odd = await service.compute.listTasks({ metadata: { odd: '1' } }, as('acct_list'))
    assert.equal(odd.data.length, 3)
    assert.ok(odd.data.every(task => task.input === undefined))
    const page = await service.compute.listTasks({ limit: 1 }, as('acct_list'))
    const foreign = { limit: 1, cursor: page.nextCursor ?? '', status: TaskStatus.QUEUED }
    assert.equal(await refusal(service.compute.listTasks(foreign, as('acct_list'))), 'invalid_cursor')
  })

  it('after a restart queued tasks are claimed in order and running ones come back', async () => {
    for (let rest = await claim(); rest.length > 0; rest = await claim()) for (const lease of rest) await finish(lease)
    const running = await create('acct_a')
    const [lease] = await claim()
    assert.equal(lease?.workId, running.id)
    const low = await create('acct_a', { priority: TaskPriority.LOW })
    const high = await create('acct_a', { priority: TaskPriority.HIGH })
    await stop()
    await open(clock.now())
    await pass(1)
    const queued = (await claim(9)).filter(one => one.tenant === 'acct_a/live')
    assert.deepEqual(
      queued.map(one => one.workId),
      [high.id, low.id],
    )
    await pass(12_000)
    assert.ok((await claim(9)).some(one => one.workId === running.id && one.attempt === 2))
  })

  it('removes what was kept long enough, with its input', async () => {
    const old = await create('acct_old', { input: 'x'.repeat(50_000) })
    await service.compute.cancelTask({ id: old.id }, as('acct_old'))
    const alive = await create('acct_old', { queueTimeoutS: 604_800 })
    await stop()
    await open(clock.now() + 86_400_000) // A day of its sweeps would be 200,000 of them.
    await pass(61_000)
    // Removing takes as long as the disk takes, which the clock does not know of.
    while ((await service.compute.listTasks({}, as('acct_old'))).data.length > 1) await pass(500)
    assert.equal(await refusal(get('acct_old', old.id)), 'not_found')
    assert.equal((await get('acct_old', alive.id)).id, alive.id)
  })
})
