/**
 * Leases and backoffs last as long as they were promised, whatever the wall clocks of owners do, old and new, and
 * whatever an owner was not told.
 */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { TaskStatus } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import type { Lease } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import { Renewed_Verdict } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import { type ManualClock, manualClock } from '@millhand/process'
import { openMongo } from '@millhand/store/mongo'
import { openSqlite } from '@millhand/store/sqlite'
import { createLog } from '@millhand/telemetry'
import { type Mongo, mongoMissing, startMongo } from '@millhand/test-servers'
import { errandCollections } from './errand-service.fixture.ts'
import { as, claim, create, createReplicas, type Replica, type Stores, type Tasks } from './replicas.fixture.ts'

const noon = Date.UTC(2026, 10, 21, 12)
interface Store {
  readonly tasks: Tasks
  readonly emissions: Stores['emissions']
  close(): Promise<void>
}

describe('times of leases, on SQLite', () =>
  timesOfLeases(async folder => {
    const db = openSqlite({ file: join(folder, 'millhand.db') })
    return {
      ...errandCollections(db),
      close: () => db.close(),
    }
  }))

describe('times of leases, on MongoDB', { skip: mongoMissing }, () => {
  let server: Mongo
  before(async () => {
    server = await startMongo()
  })
  after(() => server[Symbol.asyncDispose]())
  timesOfLeases(async () => {
    const db = openMongo({ url: server.url(), log: createLog({ level: 'error' }) })
    return {
      ...errandCollections(db),
      close: () => db.close(),
    }
  })
})

function timesOfLeases(open: (folder: string) => Promise<Store>): void {
  let folder: string
  let store: Store
  let replicas: ReturnType<typeof createReplicas>
  let owner: Replica
  /** The owner's. */
  let clock: ManualClock
  let underWay = 0
  /** Whether the answer of each write gets lost. */
  let losesAnswers = false

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millhand-lease-times-'))
    store = await open(folder)
    const { tasks } = store
    const watched: Tasks = {
      get: counted((tenant, id) => tasks.get(tenant, id)),
      find: counted((index, query) => tasks.find(index, query)),
      count: (...words) => tasks.count(...words),
      write: counted(async change => {
        const result = await tasks.write(change)
        if (losesAnswers) throw new Error('the store was not heard of any more')
        return result
      }),
    }
    replicas = createReplicas({
      tasks: watched,
      emissions: store.emissions,
      blobs: await filesystemBlobs(join(folder, 'blobs')),
    })
    await takeOver(0)
  })
  afterEach(async () => {
    await replicas.end()
    await store.close()
    await rm(folder, { recursive: true })
  })

  const counted =
    <A extends unknown[], R>(call: (...words: A) => Promise<R>) =>
    async (...words: A) => {
      underWay++
      try {
        return await call(...words)
      } finally {
        underWay--
      }
    }

  /** A process that has just begun takes the place of the owner, with a clock of its own. */
  async function takeOver(aheadMs: number) {
    await owner?.disown()
    clock = manualClock(noon + aheadMs)
    owner = replicas.start('a', clock)
    owner.own()
    await settled()
  }

  /** Nothing is asked of the store any more until time passes. */
  async function settled() {
    for (let quiet = 0; quiet < 5; quiet = underWay === 0 ? quiet + 1 : 0) {
      await new Promise(resolve => setImmediate(resolve))
    }
  }

  async function pass(ms: number) {
    for (let left = ms; left > 0; left -= 250) {
      await clock.advance(Math.min(250, left))
      await settled()
    }
  }

  const statusOf = async (id: string) => (await owner.tasks.getTask({ id }, as)).status

  async function lend(): Promise<Lease> {
    await create(owner)
    const [lease] = await claim(owner, 0)
    assert.ok(lease)
    return lease
  }

  async function renewEverySecond(lease: Lease, seconds: number) {
    const { id, tenant, workId } = lease
    for (let second = 1; second <= seconds; second++) {
      await pass(1_000)
      const { leases } = await owner.leases.renew({ executorId: 'exec_a', leases: [{ id, tenant, workId }] })
      assert.equal(leases[0]?.verdict, Renewed_Verdict.KEPT, `after ${second} s`)
    }
  }

  /** The executor was last heard of, or the owner began, just now. */
  async function comesBackInTime(lease: Lease) {
    await pass(9_750)
    assert.equal(await statusOf(lease.workId), TaskStatus.RUNNING)
    await pass(1_250)
    assert.equal(await statusOf(lease.workId), TaskStatus.QUEUED)
  }

  it('a lease whose claim was not told of comes back too', async () => {
    await create(owner)
    losesAnswers = true
    await assert.rejects(claim(owner, 0))
    losesAnswers = false
    await pass(12_000) // Found within 0.5 s, and a backoff after it.
    assert.equal((await claim(owner, 0))[0]?.attempt, 2)
  })

  it('work whose backoff was ended and not told of is lent again', async () => {
    await create(owner)
    await claim(owner, 0)
    await pass(10_600)
    losesAnswers = true
    await pass(1_500)
    losesAnswers = false
    await pass(1_000)
    assert.equal((await claim(owner, 0))[0]?.attempt, 2)
  })

  const moments = {
    'before another takes over': takeOver,
    'under an owner': async (ms: number) => clock.step(ms),
    'under an owner, and again before another takes over': async (ms: number) => {
      clock.step(-2 * ms)
      await takeOver(ms)
    },
  }

  for (const ms of [60_000, -60_000]) {
    for (const [moment, step] of Object.entries(moments)) {
      it(`${ms} ms ${moment}: who renews keeps its lease, and who dies then loses it`, async () => {
        const lease = await lend()
        await renewEverySecond(lease, 3)
        await step(ms)
        await renewEverySecond(lease, 15)
        await comesBackInTime(lease)
      })

      it(`${ms} ms ${moment}: who was dead before loses its lease`, async () => {
        const lease = await lend()
        await renewEverySecond(lease, 3)
        await step(ms)
        await comesBackInTime(lease)
      })

      it(`${ms} ms ${moment}: a retry waits as long as it should`, async () => {
        const lease = await lend()
        const { id: leaseId, tenant, workId, attempt } = lease
        const failure = { code: 'model_crashed', message: 'It crashed.', retryable: true }
        const outcome = { case: 'failure', value: failure } as const
        await owner.leases.finish({ executorId: 'exec_a', results: [{ leaseId, tenant, workId, attempt, outcome }] })
        await step(ms)
        await pass(500)
        assert.deepEqual(await claim(owner, 0), [])
        await pass(750)
        assert.equal((await claim(owner, 0))[0]?.workId, workId)
      })
    }
  }
}
