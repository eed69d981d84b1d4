import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import { FileService } from '@millhand/api/gen/millhand/compute/v1/file_service_pb.ts'
import { TaskFileService } from '@millhand/api/gen/millhand/compute/v1/task_file_service_pb.ts'
import type { Result } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import { type ManualClock, manualClock } from '@millhand/process'
import { createDirectTransport, serve } from '@millhand/rpc'
import { openSqlite, type SqliteDatabase } from '@millhand/store/sqlite'
import { type OutputFiles, outputFiles, type UnsettledFiles } from '@millhand/task'
import { createLog } from '@millhand/telemetry'
import { runFiles } from './run-files.ts'
import { unsettledSpec } from './task.ts'
import type { WorkforceDeps } from './workforce-deps.ts'

describe('the files of a result', () => {
  const result = {
    tenant: 'acct_a/live',
    workId: 'wtask_a',
    leaseId: 'lease_a',
    attempt: 1,
  } as Partial<Result> as Result
  let clock: ManualClock
  let stored: Map<string, number | undefined>
  let isAway: boolean
  let task: object | undefined
  let folder: string
  let db: SqliteDatabase
  let notes: () => Promise<unknown[]>
  let open: () => OutputFiles
  let files: OutputFiles

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millhand-result-files-'))
    db = openSqlite({ file: join(folder, 'millhand.db') })
    const unsettled = db.collection<UnsettledFiles>(unsettledSpec)
    notes = () => unsettled.find('primary', { equals: [], limit: 10 })
    stored = new Map([
      ['file_a', undefined],
      ['file_b', undefined],
    ])
    clock = manualClock(1_000)
    isAway = false
    task = undefined
    const transport = createDirectTransport()
    serve(router => {
      router.service(FileService, {
        deleteFile({ id }) {
          if (isAway) throw fail('unavailable', 'Away.')
          stored.delete(id)
          return { id, deleted: true }
        },
      })
      router.service(TaskFileService, {
        keepTaskFile({ id, until }) {
          if (isAway) throw fail('unavailable', 'Away.')
          if (stored.has(id)) stored.set(id, Number(until?.seconds))
          return { kept: stored.has(id) }
        },
      })
    }, transport)
    const deps = {
      tasks: { get: async () => task } as unknown as WorkforceDeps['tasks'],
      files: createClient(FileService, transport),
      taskFiles: createClient(TaskFileService, transport),
      clock,
      log: createLog({ level: 'error' }),
      retentionMs: 9_000,
    }
    open = () => outputFiles({ ...deps, ...runFiles(deps), unsettled })
    files = open()
  })
  afterEach(async () => {
    await db.close()
    await rm(folder, { recursive: true })
  })

  it('are kept for as long as the data of its task', async () => {
    assert.deepEqual(await files.keep(result, ['file_a', 'file_b']), { kept: ['file_a', 'file_b'], until: 10_000 })
    assert.deepEqual([...stored.values()], [10, 10])
  })

  it('are those that its run made and that are still there', async () => {
    assert.deepEqual((await files.keep(result, ['file_a', 'file_c'])).kept, ['file_a'])
  })

  it('are removed once nobody names them: it was refused, failed, or came after a cancel', async () => {
    await files.settled(result, ['file_a', 'file_b'])
    assert.deepEqual([...stored.keys()], [])
  })

  it('stay where its task names them: the same result came before', async () => {
    task = { artifacts: ['file_a'] }
    await files.settled(result, ['file_a', 'file_b'])
    assert.deepEqual([...stored.keys()], ['file_a'])
  })

  describe('of which nobody has said what becomes of them', () => {
    let ending: AbortController
    let running: Promise<void>
    beforeEach(() => {
      ending = new AbortController()
      running = open().run(ending.signal)
    })
    afterEach(async () => {
      ending.abort()
      await running
    })
    /** Holds to what there is of them a while later, and to how many results are not settled then. */
    async function later(files: readonly string[], unsettled: number): Promise<void> {
      await clock.advance(10_000)
      await pause(50) // What must not happen would have.
      for (const deadline = performance.now() + 300_000; performance.now() < deadline; await pause(10))
        if (stored.size === files.length && (await notes()).length === unsettled) break
      assert.deepEqual([[...stored.keys()], (await notes()).length], [files, unsettled])
    }

    it('go once they can be removed', async () => {
      await files.keep(result, ['file_a'])
      isAway = true
      await files.settled(result, ['file_a'])
      await later(['file_a', 'file_b'], 1)
      isAway = false
      await later(['file_b'], 0)
    })

    it('wait for the result to come again, and go once it can’t', async () => {
      task = { status: 'running', lease_id: result.leaseId, attempt: 1 }
      isAway = true
      await assert.rejects(files.keep(result, ['file_a', 'file_b']))
      isAway = false
      await later(['file_a', 'file_b'], 1)
      task = { status: 'running', lease_id: 'lease_b', attempt: 2 }
      await later([], 0)
    })

    it('stay where it came again and its task names them', async () => {
      isAway = true
      await assert.rejects(files.keep(result, ['file_a', 'file_b']))
      isAway = false
      task = { status: 'succeeded', finished_at: 1, artifacts: ['file_a'], output_file: 'file_b' }
      await later(['file_a', 'file_b'], 0)
    })

    it('go where who kept them died before its task could name them', async () => {
      task = { status: 'running', lease_id: result.leaseId, attempt: 1 }
      await files.keep(result, ['file_a', 'file_b'])
      ending.abort()
      await running
      ending = new AbortController()
      running = open().run(ending.signal)
      await later(['file_a', 'file_b'], 1)
      task = { status: 'succeeded', finished_at: 1, artifacts: ['file_b'] }
      await later(['file_b'], 0)
    })
  })
})
