import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { createClient } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import { FileService } from '@millhand/api/gen/millhand/compute/v1/file_service_pb.ts'
import { TaskFileService } from '@millhand/api/gen/millhand/compute/v1/task_file_service_pb.ts'
import type { Result } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { createDirectTransport, serve } from '@millhand/rpc'
import { type ManualClock, manualClock } from '@millhand/runner'
import { createLog } from '@millhand/telemetry'
import { createLeftFiles, type LeftFiles } from './left-files.ts'
import { outputFiles } from './run-files.ts'
import type { WorkforceDeps } from './workforce.ts'

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
  let left: LeftFiles
  let files: ReturnType<typeof outputFiles>

  beforeEach(() => {
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
    left = createLeftFiles(deps)
    files = outputFiles(deps, left)
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

  describe('while nobody can keep or remove them', () => {
    let ending: AbortController
    beforeEach(() => {
      ending = new AbortController()
      void left.run(ending.signal)
      isAway = true
    })
    afterEach(() => ending.abort())
    /** What there is of them a while later. */
    async function later(): Promise<string[]> {
      await clock.advance(10_000)
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
      return [...stored.keys()]
    }

    it('keep no result from being settled, and go once they can', async () => {
      await files.settled(result, ['file_a'])
      assert.deepEqual(await later(), ['file_a', 'file_b'])
      isAway = false
      assert.deepEqual(await later(), ['file_b'])
    })

    it('wait for the result to come again, and go once it can’t', async () => {
      task = { status: 'running', lease_id: result.leaseId, attempt: 1 }
      await assert.rejects(files.keep(result, ['file_a', 'file_b']))
      isAway = false
      assert.deepEqual(await later(), ['file_a', 'file_b'])
      task = { status: 'running', lease_id: 'lease_b', attempt: 2 }
      assert.deepEqual(await later(), [])
    })

    it('stay where it came again and its task names them', async () => {
      await assert.rejects(files.keep(result, ['file_a', 'file_b']))
      isAway = false
      task = { status: 'succeeded', finished_at: 1, artifacts: ['file_a'], output_file: 'file_b' }
      assert.deepEqual(await later(), ['file_a', 'file_b'])
    })
  })
})
