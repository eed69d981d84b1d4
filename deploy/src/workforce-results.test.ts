/** Results of the workforce's runs, with identity and workforce as they are, and a compute that is away at times. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { codeOf, fail } from '@millhand/api'
import { FileService } from '@millhand/api/gen/millhand/compute/v1/file_service_pb.ts'
import { TaskFileService } from '@millhand/api/gen/millhand/compute/v1/task_file_service_pb.ts'
import { TaskStatus } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import type { Lease } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import { manualClock } from '@millhand/process'
import { openSqlite, type SqliteDatabase } from '@millhand/store/sqlite'
import { as, openWorkforce, type Workforce } from './workforce.fixture.ts'

const executorId = 'exec_1'
const picture = `file_${'a'.repeat(26)}`

describe('results that come together', () => {
  let folder: string
  let db: SqliteDatabase
  let at: Workforce
  let isAway: boolean
  let files: Set<string>
  let running: Promise<void>
  let ending: AbortController

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millhand-results-'))
    db = openSqlite({ file: join(folder, 'millhand.db') })
    files = new Set([picture])
    isAway = true
    const present = (id: string) => {
      if (isAway) throw fail('unavailable', 'Compute is away.')
      return files.has(id)
    }
    at = await openWorkforce({
      db,
      clock: manualClock(Date.UTC(2026, 10, 22)),
      compute(router) {
        router.service(TaskFileService, { keepTaskFile: ({ id }) => ({ kept: present(id) }) })
        router.service(FileService, { deleteFile: ({ id }) => ({ id, deleted: present(id) && files.delete(id) }) })
      },
    })
    ending = new AbortController()
    running = at.service.run(ending.signal)
  })
  afterEach(async () => {
    ending.abort()
    await running
    await at[Symbol.asyncDispose]()
    await db.close()
    await rm(folder, { recursive: true })
  })

  const create = () =>
    at.workforce.createWorkforceTask(
      { employee: 'emma', task: 'sentiment_analysis', input: { texts: ['Good.'] } },
      as('enterprise'),
    )
  const statusOf = async (id: string) => (await at.workforce.getWorkforceTask({ id }, as('enterprise'))).status

  /** What an executor says of a run that went well. */
  function result({ id: leaseId, tenant, workId, attempt }: Lease, artifactFiles: string[]) {
    const artifacts = artifactFiles.map(file => ({ name: 'a.png', media_type: 'image/png', file }))
    const engine = { kind: 'rules', name: 'sentiment_analysis' }
    const output = { engine, result: {}, text: '', artifacts, citations: [], checks: [], warnings: [] }
    const value = JSON.stringify(output)
    return { leaseId, tenant, workId, attempt, artifactFiles, outcome: { case: 'output' as const, value } }
  }

  it('are taken each for itself: one whose files can’t be kept now holds up no other', async () => {
    const [withFile, plain] = [await create(), await create()]
    const { runs } = await at.leases.claim({ executorId, pool: 'live/workforce', runs: 2, waitMs: 0 })
    const leases = new Map(runs.flatMap(run => run.leases).map(lease => [lease.workId, lease]))
    const results = [result(leases.get(withFile.id) as Lease, [picture]), result(leases.get(plain.id) as Lease, [])]
    await assert.rejects(at.leases.finish({ executorId, results }), error => codeOf(error) === 'unavailable')
    assert.equal(await statusOf(plain.id), TaskStatus.SUCCEEDED)
    assert.equal(await statusOf(withFile.id), TaskStatus.RUNNING)

    isAway = false
    assert.deepEqual((await at.leases.finish({ executorId, results })).accepted, [true, false])
    assert.equal(await statusOf(withFile.id), TaskStatus.SUCCEEDED)
    assert.deepEqual((await at.leases.finish({ executorId, results })).accepted, [false, false])
    assert.deepEqual([...files], [picture], 'its task names it')
  })
})
