import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createClient } from '@connectrpc/connect'
import { FileService } from '@millhand/api/gen/millhand/compute/v1/file_service_pb.ts'
import type { Result } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { createDirectTransport, serve } from '@millhand/rpc'
import { createLog } from '@millhand/telemetry'
import { dropArtifacts } from './run-files.ts'
import type { WorkforceDeps } from './workforce.ts'

it('a refused result loses its files, but for those that its task names since it came before', async () => {
  const removed: string[] = []
  const transport = createDirectTransport()
  serve(
    router =>
      router.service(FileService, {
        deleteFile({ id }) {
          removed.push(id)
          return { id, deleted: true }
        },
      }),
    transport,
  )
  const task = { artifacts: ['file_a'] }
  const tasks = { get: async (_: string, id: string) => (id === 'wtask_a' ? task : undefined) }
  const deps = {
    tasks: tasks as unknown as WorkforceDeps['tasks'],
    files: createClient(FileService, transport),
    log: createLog({ level: 'error' }),
  }
  const result = { tenant: 'acct_a/live', workId: 'wtask_a', artifactFiles: ['file_a', 'file_b'] } as Partial<Result>
  await dropArtifacts(deps)(result as Result)
  assert.deepEqual(removed, ['file_b'])
})
