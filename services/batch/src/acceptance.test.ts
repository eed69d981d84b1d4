import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { toBinary } from '@bufbuild/protobuf'
import { createClient } from '@connectrpc/connect'
import { BatchTaskService, CheckTasksRequestSchema } from '@millhand/api/gen/millhand/batch/v1/batch_task_service_pb.ts'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import { createDirectTransport, type Principal, serve } from '@millhand/rpc'
import { acceptLines } from './acceptance.ts'

const caller: Principal = {
  ...{ accountId: 'acct_1', mode: 'live', tenant: 'acct_1/live', keyId: 'key_1', scopes: new Set(['*']) },
  plans: { compute: 'starter', developer: 'free', workforce: 'starter' },
}

test('what is checked in one call fits in a message, whatever the lines are of', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-batch-'))
  t.after(() => rm(folder, { recursive: true }))
  const sizes: number[] = []
  const checked: number[] = []
  const transport = createDirectTransport()
  serve(router => {
    router.service(BatchTaskService, {
      async checkTasks(request) {
        sizes.push(toBinary(CheckTasksRequestSchema, request).length)
        checked.push(request.tasks.length)
        return {}
      },
    })
  }, transport)
  const client = createClient(BatchTaskService, transport)
  const zeros = `[${Array(260_000).fill(0).join()}]`
  const brief = `{"employee":"emma","task":"t","input":{"texts":${zeros}}}`
  const words = JSON.stringify({ type: 'inference', model: 'm', input: '語'.repeat(170_000) })
  const lines = [...Array(6).fill(brief), ...Array(20).fill(words), ...Array(1_200).fill('{"employee":"e","task":"t"}')]
  const accepted = await acceptLines(
    { blobs: await filesystemBlobs(join(folder, 'blobs')), tasks: { compute: client, workforce: client } },
    lines.map((text, n) => ({ text, place: `lines[${n + 1}]` })),
    {
      ...{ caller, most: 50_000, param: 'tasks', key: 'batches/1' },
      signal: new AbortController().signal,
      onBytes: () => {},
    },
  )
  assert.deepEqual([accepted.total, accepted.withEmployees], [lines.length, true])
  assert.equal(
    checked.reduce((sum, count) => sum + count),
    lines.length,
  )
  assert.ok(Math.max(...sizes) < 2 ** 22, `${Math.max(...sizes)} bytes`)
  assert.ok(Math.max(...checked) <= 500)
})
