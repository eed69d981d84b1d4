/** Two replicas of a service of tasks over one store: one of them owns the queues, both answer. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { codeOf } from '@millhand/api'
import { TaskStatus } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { Renewed_Verdict } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import { systemClock as clock } from '@millhand/process'
import { openSqlite, type SqliteDatabase } from '@millhand/store/sqlite'
import { errandCollections } from './errand-service.fixture.ts'
import { as, caller, claim, create, createReplicas, type Replica, type Tasks } from './replicas.fixture.ts'

describe('replicas of a service of tasks', () => {
  let folder: string
  let db: SqliteDatabase
  let replicas: ReturnType<typeof createReplicas>
  let a: Replica
  let b: Replica
  /** Whether the store lists nothing from now on until `held` has resolved. */
  let isHeld: boolean
  let held: PromiseWithResolvers<void>

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millhand-replicas-'))
    db = openSqlite({ file: join(folder, 'millhand.db') })
    const blobs = await filesystemBlobs(join(folder, 'blobs'))
    isHeld = false
    held = Promise.withResolvers()
    const { tasks, emissions } = errandCollections(db)
    const find: Tasks['find'] = async (...words) => {
      if (isHeld) await held.promise
      return await tasks.find(...words)
    }
    replicas = createReplicas({
      tasks: {
        get: (...words) => tasks.get(...words),
        find,
        count: (...words) => tasks.count(...words),
        write: change => tasks.write(change),
      },
      emissions,
      blobs,
    })
    a = replicas.start('a', clock)
    b = replicas.start('b', clock)
  })
  afterEach(async () => {
    held.resolve()
    await replicas.end()
    await db.close()
    await rm(folder, { recursive: true })
  })

  const complete = async (at: Replica) => {
    const [lease] = await claim(at)
    assert.ok(lease)
    const { id: leaseId, tenant, workId, attempt } = lease
    const outcome = { case: 'output', value: '"done"' } as const
    const results = [{ leaseId, tenant, workId, attempt, outcome, computeMs: 5 }]
    const { accepted } = await at.leases.finish({ executorId: 'exec_a', results })
    assert.deepEqual(accepted, [true])
  }

  it('any replica takes work, lends it and answers waits', async () => {
    a.own()
    for (const [creating, running, waiting] of [
      [a, b, b],
      [b, a, b],
      [b, b, a],
      [a, a, b],
    ] as const) {
      const { id } = await create(creating)
      const waited = waiting.tasks.waitTask({ id, timeoutMs: 5_000 }, as)
      await complete(running)
      assert.equal((await waited).status, TaskStatus.SUCCEEDED)
    }
  })

  it('a lease is renewed by any replica while there is no owner, and a cancel is heard of', async () => {
    a.own()
    const { id } = await create(a)
    const [lease] = await claim(a)
    assert.ok(lease)
    await a.disown()
    const renew = async (leaseId: string) => {
      const leases = [{ id: leaseId, tenant: lease.tenant, workId: lease.workId }]
      const renewed = await b.leases.renew({ executorId: 'exec_a', leases })
      return renewed.leases.map(({ verdict }) => verdict)
    }
    assert.deepEqual(await renew(lease.id), [Renewed_Verdict.KEPT])
    assert.deepEqual(await renew('lease_of_nobody'), [Renewed_Verdict.LOST])
    await b.tasks.cancelTask({ id }, as)
    assert.deepEqual(await renew(lease.id), [Renewed_Verdict.CANCEL])
  })

  it('a claim that waits gets what another replica creates', async () => {
    a.own()
    const waiting = claim(a)
    const { id } = await create(b)
    assert.deepEqual(
      (await waiting).map(lease => lease.workId),
      [id],
    )
  })

  it('a wait goes on when the owner changes under it', async () => {
    a.own()
    const { id } = await create(a)
    const waits = [a, b].map(at => at.tasks.waitTask({ id, timeoutMs: 10_000 }, as))
    await a.disown()
    b.own()
    await complete(a)
    for (const task of await Promise.all(waits)) assert.equal(task.status, TaskStatus.SUCCEEDED)
  })

  it('a wait goes on at the next owner, though the store still owes the last one an answer', {
    timeout: 300_000,
  }, async () => {
    isHeld = true
    a.own()
    const { id } = await create(a)
    const waits = [a, b].map(at => at.tasks.waitTask({ id, timeoutMs: 60_000 }, as))
    const disowned = a.disown()
    isHeld = false
    b.own()
    await complete(b)
    for (const task of await Promise.all(waits)) assert.equal(task.status, TaskStatus.SUCCEEDED)
    held.resolve()
    await disowned
  })

  it('what was queued under one owner is lent by the next, and by it alone', async () => {
    a.own()
    const created = await Promise.all(Array.from({ length: 5 }, () => create(a)))
    await a.disown()
    b.own()
    const lent = new Set<string>()
    for (const at of [a, b, a, b, a]) {
      for (const lease of await claim(at)) lent.add(lease.workId)
      if (lent.size === created.length) break
    }
    assert.deepEqual([...lent].sort(), created.map(task => task.id).sort())
    assert.deepEqual(await claim(a, 0), [])
  })

  it('another account’s first task is in the next run, however long the queue of the first', async () => {
    a.own()
    for (let created = 0; created < 10_000; created += 500) {
      await Promise.all(Array.from({ length: 500 }, (_, i) => create(i % 2 === 0 ? a : b)))
    }
    for (const executor of ['exec_a', 'exec_b', 'exec_c']) assert.ok((await claim(b, 5_000, executor)).length > 1)
    const { id } = await create(b, caller('acct_b'))
    // The first may be on its way already when the owner hears of the task.
    const next = [...(await claim(a, 5_000, 'exec_a')), ...(await claim(b, 5_000, 'exec_b'))]
    assert.ok(next.some(lease => lease.workId === id))
  })

  it('what a run may cost is noted by whoever holds its lease, and by nobody else', async () => {
    a.own()
    const { id } = await create(a)
    const [lease] = await claim(a)
    assert.ok(lease)
    const { id: leaseId, tenant, workId, attempt } = lease
    const run = { leaseId, tenant, workId, attempt }
    const reserve = (at: Replica, ref: Partial<typeof run> = {}) =>
      at.leases.reserve({ run: { ...run, ...ref }, modelCostMicros: 5 })
    const isConflict = (error: unknown) => codeOf(error) === 'conflict'
    for (const at of [a, b]) {
      await reserve(at)
      await assert.rejects(reserve(at, { leaseId: `${leaseId}0` }), isConflict)
      await assert.rejects(reserve(at, { attempt: attempt + 1 }), isConflict)
    }
    await a.tasks.cancelTask({ id }, as)
    for (const at of [a, b]) await assert.rejects(reserve(at), isConflict)
  })

  it('without an owner work is taken and waits end in time, and claims fail as unavailable', async () => {
    const { id } = await create(b)
    assert.equal((await b.tasks.waitTask({ id, timeoutMs: 150 }, as)).status, TaskStatus.QUEUED)
    await assert.rejects(claim(b), error => codeOf(error) === 'unavailable')
  })

  it('two that take each other for the owner do not pass a call on for ever', async () => {
    a.belief = 'b'
    b.belief = 'a'
    await assert.rejects(claim(a), error => codeOf(error) === 'unavailable')
  })
})
