import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { codeOf, fail } from '@millhand/api'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { TaskStatus } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import { type ManualClock, manualClock } from '@millhand/process'
import { createDirectTransport } from '@millhand/rpc'
import { openSqlite, type SqliteDatabase } from '@millhand/store/sqlite'
import { errandCollections } from '../errand-service.fixture.ts'
import { as, claim, create, createReplicas, type Replica } from '../replicas.fixture.ts'

describe('a wait for a task', () => {
  let folder: string
  let db: SqliteDatabase
  let clock: ManualClock
  let replicas: ReturnType<typeof createReplicas>
  let owner: Replica
  let other: Replica
  let id: string

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millhand-wait-'))
    db = openSqlite({ file: join(folder, 'millhand.db') })
    clock = manualClock()
    const blobs = await filesystemBlobs(join(folder, 'blobs'))
    const { tasks, emissions } = errandCollections(db)
    replicas = createReplicas({ tasks, emissions, blobs })
    owner = replicas.start('owner', clock)
    other = replicas.start('other', clock)
    owner.own()
    id = (await create(other)).id
  })
  afterEach(async () => {
    await replicas.end()
    await db.close()
    await rm(folder, { recursive: true })
  })

  /** What waits is answered from the store. */
  const turns = async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise(resolve => setImmediate(resolve))
  }

  it('asks each owner for what is left of its time, however often it breaks off', async () => {
    const asked: number[] = []
    const breaking = createDirectTransport().service(ComputeService, {
      async waitTask({ timeoutMs }) {
        asked.push(timeoutMs)
        await clock.sleep(4_000, new AbortController().signal)
        throw fail('unavailable', 'The connection broke.')
      },
    })
    replicas.network.set('owner', breaking)
    const waiting = other.tasks.waitTask({ id, timeoutMs: 10_000 }, as)
    for (let passed = 0; passed < 13_000; passed += 100) {
      await turns()
      await clock.advance(100)
    }
    assert.equal((await waiting).status, TaskStatus.QUEUED)
    assert.deepEqual(asked, [10_000, 5_900, 1_800])
  })

  it('is over a second before its deadline', async () => {
    for (const at of [owner, other]) {
      const waiting = at.tasks.waitTask({ id, timeoutMs: 60_000 }, { ...as, timeoutMs: 31_000 })
      let isOver = false
      void waiting.then(() => {
        isOver = true
      })
      await turns()
      await clock.advance(29_900)
      await turns()
      assert.equal(isOver, false)
      await clock.advance(200)
      assert.equal((await waiting).status, TaskStatus.QUEUED)
    }
  })

  it('is over in time when the owner does not answer', async () => {
    const silent = createDirectTransport().service(ComputeService, { waitTask: () => new Promise(() => {}) })
    replicas.network.set('owner', silent)
    const waiting = other.tasks.waitTask({ id, timeoutMs: 100 }, as)
    await turns()
    await clock.advance(100)
    assert.equal((await waiting).status, TaskStatus.QUEUED)
  })

  it('of no time asks no owner', async () => {
    replicas.network.clear()
    assert.equal((await other.tasks.waitTask({ id, timeoutMs: 0 }, as)).status, TaskStatus.QUEUED)
  })

  it('ends at once when its server stops, and so does a claim; the clock stands still meanwhile', async () => {
    await claim(other, 0)
    for (const at of [other, owner]) {
      const waits = Array.from({ length: 50 }, () => at.tasks.waitTask({ id, timeoutMs: 60_000 }, as))
      const claims = Array.from({ length: 50 }, (_, i) => claim(at, 30_000, `exec_${i}`))
      await turns()
      at.stop()
      for (const wait of await Promise.allSettled(waits)) {
        assert.equal(wait.status === 'rejected' ? codeOf(wait.reason) : wait.value.status, 'unavailable')
      }
      assert.deepEqual((await Promise.all(claims)).flat(), [])
    }
  })

  it('goes on with the next owner when the first stops, if it came to another replica', async () => {
    const waiting = other.tasks.waitTask({ id, timeoutMs: 60_000 }, as)
    await turns()
    owner.stop()
    await owner.disown()
    other.own()
    await turns()
    await clock.advance(100)
    await turns()
    await other.tasks.cancelTask({ id }, as)
    assert.equal((await waiting).status, TaskStatus.CANCELLED)
  })
})
