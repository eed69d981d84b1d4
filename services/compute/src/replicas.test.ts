/** Two replicas of compute over one store: one of them owns the queues, both answer. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { type Client, createClient, createContextValues, type Transport } from '@connectrpc/connect'
import { codeOf, createCursors } from '@millhand/api'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { TaskStatus, TaskType } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import { createDirectTransport, principalKey, serve } from '@millhand/rpc'
import { systemClock } from '@millhand/runner'
import { openSqlite, type SqliteDatabase } from '@millhand/store/sqlite'
import { createLog } from '@millhand/telemetry'
import { createComputeService, type TaskRecord, tasksSpec } from './compute.ts'
import { echoModel } from './echo.fixture.ts'

const caller = (accountId: string) => ({
  contextValues: createContextValues().set(principalKey, {
    accountId,
    mode: 'live',
    tenant: `${accountId}/live`,
    scopes: new Set(['*']),
    keyId: 'key_a',
  }),
})
const as = caller('acct_a')

describe('replicas of compute', () => {
  let folder: string
  let db: SqliteDatabase
  let network: Map<string, Transport>
  let replicas: Replica[]
  /** The address of the owner; each replica may have a belief of its own. */
  let owner: string | undefined

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millhand-replicas-'))
    db = openSqlite({ file: join(folder, 'millhand.db') })
    network = new Map()
    replicas = []
    owner = undefined
  })
  afterEach(async () => {
    for (const replica of replicas) await replica.disown()
    await db.close()
    await rm(folder, { recursive: true })
  })

  interface Replica {
    readonly compute: Client<typeof ComputeService>
    readonly leases: Client<typeof LeaseService>
    own(): void
    disown(): Promise<void>
    /** What it believes, where that is not the truth. */
    belief?: string
  }

  async function start(address: string): Promise<Replica> {
    const tasks = db.collection<TaskRecord, 'ready' | 'due'>(tasksSpec)
    const compute = createComputeService({
      tasks: {
        get: (tenant, id) => tasks.get(tenant, id),
        find: (index, query) => tasks.find(index, query),
        async write(change) {
          const result = await tasks.write(change)
          const { tenant, id } = change.kind === 'remove' ? change : change.document
          if (result.kind === 'written') void compute.tellOwner([{ collection: 'tasks', tenant, id }])
          return result
        },
      },
      blobs: await filesystemBlobs(join(folder, 'blobs')),
      models: echoModel,
      cursors: createCursors(new Uint8Array(32)),
      clock: systemClock,
      log: createLog({ level: 'error' }),
      replicas: {
        owner() {
          const believed = replica.belief ?? owner
          if (believed === undefined) return undefined
          return believed === address ? 'here' : { address: believed }
        },
        peer: at => network.get(at) as Transport,
      },
      onRing: async documents => {
        for (const { tenant, id } of documents) {
          const task = await tasks.get(tenant, id)
          if (task) compute.heard(task)
        }
      },
      retentionMs: 86_400_000,
      pricePerSecondMicros: 20,
    })
    const transport = createDirectTransport()
    serve(compute.routes, transport)
    network.set(address, transport)
    let owning = new AbortController()
    let running: Promise<void> | undefined
    const replica: Replica = {
      compute: createClient(ComputeService, transport),
      leases: createClient(LeaseService, transport),
      own() {
        owner = address
        owning = new AbortController()
        running = compute.run(owning.signal)
      },
      async disown() {
        if (owner === address) owner = undefined
        owning.abort()
        await running
      },
    }
    replicas.push(replica)
    return replica
  }

  const create = (at: Replica, by = as) =>
    at.compute.createTask({ type: TaskType.INFERENCE, model: 'echo', input: 'hello' }, by)
  const claim = async (at: Replica, waitMs = 5_000, executorId = 'exec_a') => {
    const { runs } = await at.leases.claim({ executorId, pool: 'live/onnx', runs: 1, waitMs })
    return runs.flatMap(run => run.leases)
  }
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
    const [a, b] = [await start('a'), await start('b')]
    a.own()
    for (const [creating, running, waiting] of [
      [a, b, b],
      [b, a, b],
      [b, b, a],
      [a, a, b],
    ] as const) {
      const { id } = await create(creating)
      const waited = waiting.compute.waitTask({ id, timeoutMs: 5_000 }, as)
      await complete(running)
      assert.equal((await waited).status, TaskStatus.SUCCEEDED)
    }
  })

  it('a claim that waits gets what another replica creates', async () => {
    const [a, b] = [await start('a'), await start('b')]
    a.own()
    const waiting = claim(a)
    const { id } = await create(b)
    assert.deepEqual(
      (await waiting).map(lease => lease.workId),
      [id],
    )
  })

  it('a wait goes on when the owner changes under it', async () => {
    const [a, b] = [await start('a'), await start('b')]
    a.own()
    const { id } = await create(a)
    const waits = [a, b].map(at => at.compute.waitTask({ id, timeoutMs: 10_000 }, as))
    await a.disown()
    b.own()
    await complete(a)
    for (const task of await Promise.all(waits)) assert.equal(task.status, TaskStatus.SUCCEEDED)
  })

  it('what was queued under one owner is lent by the next, and by it alone', async () => {
    const [a, b] = [await start('a'), await start('b')]
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
    const [a, b] = [await start('a'), await start('b')]
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

  it('without an owner work is taken and waits end in time, and claims fail as unavailable', async () => {
    const b = await start('b')
    const { id } = await create(b)
    assert.equal((await b.compute.waitTask({ id, timeoutMs: 150 }, as)).status, TaskStatus.QUEUED)
    await assert.rejects(claim(b), error => codeOf(error) === 'unavailable')
  })

  it('two that take each other for the owner do not pass a call on for ever', async () => {
    const [a, b] = [await start('a'), await start('b')]
    a.belief = 'b'
    b.belief = 'a'
    await assert.rejects(claim(a), error => codeOf(error) === 'unavailable')
  })
})
