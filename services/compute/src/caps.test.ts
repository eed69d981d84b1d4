/** What an account's plan lets it have of the queue, through the service. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { codeOf, retryAfterOf } from '@millhand/api'
import { TaskStatus, TaskType } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import type { Lease } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import type { Blobs } from '@millhand/blob'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import { type ManualClock, manualClock } from '@millhand/process'
import { openSqlite, type SqliteDatabase } from '@millhand/store/sqlite'
import { callOf, openCompute } from './compute.fixture.ts'

const caps: Record<string, { weight: number; max_running: number; max_queued: number }> = {
  small: { weight: 1, max_running: 2, max_queued: 3 },
  one: { weight: 1, max_running: 100, max_queued: 100 },
  three: { weight: 3, max_running: 100, max_queued: 100 },
}

const plans = {
  computePlan: (name: string) => ({
    requests_per_minute: null,
    max_instances: 1,
    max_replicas: 1,
    ...(caps[name] ?? assert.fail(name)),
  }),
}

describe('the caps of a plan', () => {
  let folder: string
  let db: SqliteDatabase
  let blobs: Blobs
  let clock: ManualClock
  let service: ReturnType<typeof openCompute>

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millhand-caps-'))
    clock = manualClock(Date.UTC(2026, 10, 21))
    db = openSqlite({ file: join(folder, 'millhand.db') })
    blobs = await filesystemBlobs(join(folder, 'blobs'))
    service = openCompute({ db, blobs, clock, plans })
  })
  afterEach(async () => {
    await service.stop()
    await db.close()
    await rm(folder, { recursive: true })
  })

  const as = (accountId: string, plan: string, mode: 'live' | 'test' = 'live') => ({
    contextValues: callOf(accountId, plan, mode),
  })
  async function create(caller: ReturnType<typeof as>, input = 'hello') {
    const request = { type: TaskType.INFERENCE, model: 'echo', input }
    return await service.compute.createTask(request, caller)
  }
  /** A claim that waits: what is there is there once the service has read its store. */
  async function claim(pool = 'live/onnx', waitMs = 5_000): Promise<Lease[]> {
    const { runs } = await service.leases.claim({ executorId: 'exec_a', pool, runs: 1, waitMs })
    return runs.flatMap(run => run.leases)
  }
  const full = (error: unknown) => codeOf(error) === 'queue_full' && retryAfterOf(error) === 1

  it('refuse a create beyond what may wait, however many come at once, and store nothing of it', async () => {
    const large = 'x'.repeat(50_000)
    const answers = await Promise.allSettled(Array.from({ length: 12 }, () => create(as('acct_a', 'small'), large)))
    assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 3)
    for (const answer of answers) if (answer.status === 'rejected') assert.ok(full(answer.reason), answer.reason)
    const { data } = await service.compute.listTasks({}, as('acct_a', 'small'))
    assert.equal(data.length, 3)
    await create(as('acct_b', 'small'))
    await create(as('acct_a', 'small', 'test'))
    assert.deepEqual((await claim()).map(({ tenant }) => tenant).sort(), ['acct_a/live', 'acct_a/live', 'acct_b/live'])
    await clock.advance(1)
    await create(as('acct_a', 'small'))
  })

  it('count what runs in all pools of a mode together', async () => {
    const batch = { type: TaskType.BATCH, model: 'echo', input: '"a"\n"b"' }
    await service.compute.createTask(batch, as('acct_a', 'small'))
    const [lines] = await claim('live/batch')
    assert.ok(lines)
    for (let i = 0; i < 3; i++) await create(as('acct_a', 'small'))
    for (let i = 0; i < 2; i++) await create(as('acct_a', 'small', 'test'))
    await create(as('acct_b', 'small'))
    const running = (await claim()).map(({ tenant }) => tenant)
    assert.deepEqual(running.sort(), ['acct_a/live', 'acct_b/live'])
    assert.equal((await claim('test/onnx')).length, 1)
    assert.equal((await claim('test/onnx')).length, 1)
    const next = claim()
    await service.leases.finish({
      executorId: 'exec_a',
      pool: 'live/batch',
      results: [
        {
          ...{ leaseId: lines.id, tenant: lines.tenant, workId: lines.workId, attempt: lines.attempt },
          outcome: { case: 'failure', value: { code: 'model_broken', message: 'broken', retryable: false } },
        },
      ],
    })
    assert.deepEqual(
      (await next).map(({ tenant }) => tenant),
      ['acct_a/live'],
    )
  })

  it('let no more run than may, right after another service took over too', async () => {
    for (let i = 0; i < 3; i++) await create(as('acct_a', 'small'))
    assert.equal((await claim()).length, 2)
    await service.stop()
    service = openCompute({ db, blobs, clock, plans })
    await create(as('acct_b', 'small'))
    assert.deepEqual(
      (await claim()).map(({ tenant }) => tenant),
      ['acct_b/live'],
    )
    assert.deepEqual(await claim('live/onnx', 0), [])
  })

  it('leave room that only accounts have of which nothing runs, whatever waits of another', async () => {
    const newcomers = { executorId: 'exec_a_newcomers', pool: 'live/onnx', runs: 1, newcomersOnly: true }
    const tenants = async (waitMs: number) => {
      const { runs } = await service.leases.claim({ ...newcomers, waitMs })
      return runs.flatMap(({ leases }) => leases.map(({ tenant }) => tenant))
    }
    await create(as('acct_a', 'one'))
    assert.equal((await claim()).length, 1)
    await create(as('acct_a', 'one'))
    assert.deepEqual(await tenants(0), [])
    await create(as('acct_b', 'one'))
    assert.deepEqual(await tenants(5_000), ['acct_b/live'])
    await create(as('acct_b', 'one'))
    assert.deepEqual(await tenants(0), [])
  })

  it('give turns by weight, as the plan of the latest task has it', async () => {
    const turns: string[] = []
    // In the sandbox each task has a run of its own, and so a turn.
    for (let i = 0; i < 8; i++) await create(as('acct_c', i < 7 ? 'one' : 'three', 'test'))
    for (let i = 0; i < 8; i++) await create(as('acct_d', 'one', 'test'))
    for (let i = 0; i < 8; i++) for (const { tenant } of await claim('test/onnx')) turns.push(tenant)
    assert.equal(turns.filter(tenant => tenant === 'acct_c/test').length, 6)
  })

  it('sandbox:queue_timeout is never claimed, in no process, and expires', async () => {
    const { id } = await create(as('acct_a', 'small', 'test'), 'sandbox:queue_timeout')
    assert.deepEqual(await claim('test/onnx', 0), [])
    await service.stop()
    service = openCompute({ db, blobs, clock, plans })
    const { compute } = service
    const status = async () => (await compute.getTask({ id }, as('acct_a', 'small', 'test'))).status
    await create(as('acct_b', 'small', 'test'))
    assert.deepEqual(
      (await claim('test/onnx')).map(({ tenant }) => tenant),
      ['acct_b/test'],
    )
    assert.deepEqual(await claim('test/onnx', 0), [])
    assert.equal(await status(), TaskStatus.QUEUED)
    for (let tries = 0; tries < 100 && (await status()) === TaskStatus.QUEUED; tries++) await clock.advance(500)
    assert.equal(await status(), TaskStatus.EXPIRED)
    assert.deepEqual(await claim('test/onnx', 0), [])
  })
})
