/** A change that is in the store though its write failed: who waits for the task hears of it, and of nothing that is not there. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { createClient } from '@connectrpc/connect'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { TaskStatus } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import { singleReplica } from '@millhand/lease'
import { type ManualClock, manualClock } from '@millhand/process'
import { createDirectTransport, serve } from '@millhand/rpc'
import type { Change } from '@millhand/store'
import { openSqlite, type SqliteDatabase } from '@millhand/store/sqlite'
import { createLog } from '@millhand/telemetry'
import type { Errand } from './errand.fixture.ts'
import { createErrandService, errandCollections } from './errand-service.fixture.ts'
import { as, create, type Replica, type Tasks } from './replicas.fixture.ts'
import { emit, finish, lend, read } from './stream/streams.fixture.ts'

describe('a change whose write failed', { timeout: 60_000 }, () => {
  let folder: string
  let db: SqliteDatabase
  let clock: ManualClock
  let stored: Tasks
  /** Of the next replaces: each is made or not, and fails. */
  let failures: ('made' | 'not made')[]
  let replaced: Change<Errand>[]
  let one: Replica
  let ending: AbortController
  let running: Promise<void>

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millhand-doubt-'))
    db = openSqlite({ file: join(folder, 'millhand.db') })
    clock = manualClock(Date.UTC(2026, 10, 21))
    failures = []
    replaced = []
    const collections = errandCollections(db)
    stored = collections.tasks
    const service = createErrandService({
      ...collections,
      tasks: { ...stored, write },
      blobs: await filesystemBlobs(join(folder, 'blobs')),
      clock,
      log: createLog({ level: 'error' }),
      replicas: singleReplica,
      onRing: () => {},
      retentionMs: 86_400_000,
    })
    const transport = createDirectTransport()
    serve(service.routes, transport)
    one = {
      tasks: createClient(ComputeService, transport),
      leases: createClient(LeaseService, transport),
    } as Replica
    ending = new AbortController()
    running = service.run(ending.signal)
  })
  afterEach(async () => {
    ending.abort()
    await running
    await db.close()
    await rm(folder, { recursive: true })
  })

  async function write(change: Change<Errand>) {
    if (change.kind !== 'replace') return await stored.write(change)
    replaced.push(change)
    const failure = failures.shift()
    if (failure !== 'not made') {
      const result = await stored.write(change)
      if (failure === undefined) return result
    }
    throw new Error('the disk did not sync')
  }

  const types = ({ events }: ReturnType<typeof read>) => events.map(({ type }) => type.slice('errand.'.length))

  it('is told to streams and waits where a claim and an end are written together', async () => {
    const { id } = await create(one)
    const reader = read(one, id)
    await reader.has(1)
    const waiting = one.tasks.waitTask({ id, timeoutMs: 60_000 }, as)
    const run = await lend(one)
    failures.push('made')
    await assert.rejects(finish(one, run, 'succeeded'))
    assert.deepEqual([replaced.length, replaced[0]?.events.length], [1, 2])
    assert.deepEqual(types(reader), ['queued'])
    await clock.advance(500)
    await reader.ended
    assert.deepEqual(types(reader), ['queued', 'started', 'succeeded'])
    assert.equal((await waiting).status, TaskStatus.SUCCEEDED)
  })

  it('is told where it waited for nothing', async () => {
    const { id } = await create(one)
    const reader = read(one, id)
    await reader.has(1)
    failures.push('made')
    await assert.rejects(async () => await one.tasks.cancelTask({ id }, as))
    await clock.advance(500)
    await reader.ended
    assert.deepEqual(types(reader), ['queued', 'cancelled'])
  })

  it('is told to nobody where it was not made, and the task goes on', async () => {
    const { id } = await create(one)
    const reader = read(one, id)
    await reader.has(1)
    const run = await lend(one)
    await emit(one, run, 'half')
    await reader.has(3)
    failures.push('not made')
    await assert.rejects(finish(one, run, 'succeeded'))
    await clock.advance(500)
    assert.deepEqual(types(reader), ['queued', 'started', 'output'])
    assert.equal(await finish(one, run, 'succeeded'), true)
    await reader.ended
    assert.deepEqual(types(reader), ['queued', 'started', 'output', 'succeeded'])
  })

  it('ends the waits once the store answers, so that they ask again, where more is in doubt than is read again', async () => {
    const { id } = await create(one)
    const reader = read(one, id)
    await reader.has(1)
    let isOpen = true
    const ended = assert.rejects(reader.ended).finally(() => {
      isOpen = false
    })
    const others = await Promise.all(Array.from({ length: 1_001 }, () => create(one)))
    failures.push(...others.map(() => 'not made' as const))
    await Promise.allSettled(others.map(async other => await one.tasks.cancelTask({ id: other.id }, as)))
    assert.ok(isOpen)
    await clock.advance(500)
    await ended
  })
})
