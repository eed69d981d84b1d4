import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { createClient } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import { FileService } from '@millhand/api/gen/millhand/compute/v1/file_service_pb.ts'
import { TaskFileService } from '@millhand/api/gen/millhand/compute/v1/task_file_service_pb.ts'
import type { Result } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { createDirectTransport, serve } from '@millhand/rpc'
import { manualClock } from '@millhand/runner'
import { createLog } from '@millhand/telemetry'
import { outputFiles } from './run-files.ts'
import type { WorkforceDeps } from './workforce.ts'

describe('the files of a result', () => {
  const result = { tenant: 'acct_a/live', workId: 'wtask_a', attempt: 1 } as Partial<Result> as Result
  const clock = manualClock(1_000)
  let stored: Map<string, number | undefined>
  let isAway: boolean
  let task: object | undefined
  let files: ReturnType<typeof outputFiles>

  beforeEach(() => {
    stored = new Map([
      ['file_a', undefined],
      ['file_b', undefined],
    ])
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
    files = outputFiles({
      tasks: { get: async () => task } as unknown as WorkforceDeps['tasks'],
      files: createClient(FileService, transport),
      taskFiles: createClient(TaskFileService, transport),
      clock,
      log: createLog({ level: 'error' }),
      retentionMs: 9_000,
    })
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

  it('do not keep a result from being settled while nobody can remove them', async () => {
    isAway = true
    await files.settled(result, ['file_a'])
    assert.deepEqual([...stored.keys()], ['file_a', 'file_b'])
  })
})
