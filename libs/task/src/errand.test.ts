/** A kind of task that is not compute's, among others' tasks and blobs: its life, from its creation until it is removed. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createClient } from '@connectrpc/connect'
import { codeOf } from '@millhand/api'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { TaskStatus, TaskType } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { Emitted_Verdict } from '@millhand/api/gen/millhand/lease/v1/emission_pb.ts'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import type { Blobs } from '@millhand/blob'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import { sqliteEventLog } from '@millhand/eventlog/sqlite'
import { singleReplica } from '@millhand/lease'
import { type ManualClock, manualClock } from '@millhand/process'
import { createDirectTransport, serve } from '@millhand/rpc'
import { openSqlite, type SqliteDatabase } from '@millhand/store/sqlite'
import { createLog } from '@millhand/telemetry'
import { createErrandService, errandCollections } from './errand-service.fixture.ts'
import { as } from './replicas.fixture.ts'

const large = 'x'.repeat(50_000)
const executorId = 'exec_a'

describe('an errand', { timeout: 300_000 }, () => {
  const transport = createDirectTransport()
  const tasks = createClient(ComputeService, transport)
  const leases = createClient(LeaseService, transport)
  const ending = new AbortController()
  let folder: string
  let db: SqliteDatabase
  let blobs: Blobs
  let clock: ManualClock
  let running: Promise<void>
  let id: string

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millhand-errand-'))
    db = openSqlite({ file: join(folder, 'millhand.db') })
    blobs = await filesystemBlobs(join(folder, 'blobs'))
    // So that what is written now has been there for two hours.
    clock = manualClock(Date.now() + 7_200_000)
    const service = createErrandService({
      ...errandCollections(db),
      blobs,
      clock,
      log: createLog({ level: 'error' }),
      replicas: singleReplica,
      onRing: () => {},
      retentionMs: 86_400_000,
    })
    serve(service.routes, transport)
    for (const place of ['inputs', 'errand-inputs']) await blobs.put(`${place}/acct_a/live/task_a/1`, Buffer.from('x'))
    running = service.run(ending.signal)
    // The one that no errand names goes first: an errand's own would too, while its input is there and it is not.
    while ((await kept()).length > 1);
  })
  after(async () => {
    ending.abort()
    await running
    await db.close()
    await rm(folder, { recursive: true })
  })

  async function kept(): Promise<string[]> {
    const places: string[] = []
    for await (const { key } of blobs.list('')) places.push(key.split('/').slice(0, 4).join('/'))
    return places.sort()
  }

  it('goes through a run that emits to its end, and costs what its kind says', async () => {
    id = (await tasks.createTask({ type: TaskType.CUSTOM, model: 'walk', input: large }, as)).id
    const { runs } = await leases.claim({ executorId, pool: 'live/errands', runs: 1, waitMs: 5_000 })
    const lease = runs[0]?.leases[0] ?? assert.fail()
    assert.deepEqual([lease.workId, lease.input], [id, large])
    const run = { leaseId: lease.id, tenant: lease.tenant, workId: id, attempt: 1 }
    const output = { content: { case: 'output' as const, value: '"half"' } }
    const emitted = await leases.emit({ executorId, runs: [{ ...run, emissions: [output] }] })
    assert.equal(emitted.runs[0]?.verdict, Emitted_Verdict.STORED)
    const ended = tasks.waitTask({ id, timeoutMs: 5_000 }, as)
    const outcome = { case: 'output', value: '"there and back"' } as const
    await leases.finish({ executorId, results: [{ ...run, outcome, computeMs: 2_001 }] })
    const { status, output: found, usage } = await ended
    assert.deepEqual([status, found, usage?.computeMs], [TaskStatus.SUCCEEDED, '"there and back"', 3_000])
  })

  it('tells its stream and the log what became of it', async () => {
    const told: unknown[] = []
    for await (const { type, output, task } of tasks.watchTask({ id }, as)) told.push([type, output ?? task?.output])
    assert.deepEqual(told, [
      ['errand.queued', undefined],
      ['errand.started', undefined],
      ['errand.output', '"half"'],
      ['errand.succeeded', '"there and back"'],
    ])
    const reading = new AbortController()
    const events: unknown[] = []
    for await (const batch of sqliteEventLog(db).tail(['errands'], 'beginning', reading.signal)) {
      events.push(...batch.map(({ type, key, value }) => [type, key, JSON.parse(value).data.object.seconds]))
      if (events.length === 3) reading.abort()
    }
    assert.deepEqual(events, [
      ['errand.queued', id, undefined],
      ['errand.started', id, undefined],
      ['errand.succeeded', id, 3],
    ])
  })

  it('goes with its input and what it emitted once it was kept long enough, and takes nothing of others', async () => {
    const { tasks: stored, emissions } = errandCollections(db)
    const tenant = { equals: ['acct_a/live'], limit: 10 }
    assert.deepEqual(await kept(), [`errand-inputs/acct_a/live/${id}`, 'inputs/acct_a/live/task_a'])
    assert.equal((await emissions.find('primary', tenant)).length, 1)
    clock.step(86_400_001)
    while ((await stored.find('primary', tenant)).length > 0) await clock.advance(60_000)
    assert.deepEqual(await emissions.find('primary', tenant), [])
    assert.deepEqual(await kept(), ['inputs/acct_a/live/task_a'])
    await assert.rejects(tasks.getTask({ id }, as), error => codeOf(error) === 'not_found')
  })
})
