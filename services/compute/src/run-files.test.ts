import assert from 'node:assert/strict'
import { it } from 'node:test'
import { create } from '@bufbuild/protobuf'
import type { HandlerContext } from '@connectrpc/connect'
import { RunRefSchema } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import { refusal } from './files/files.fixture.ts'
import type { Files } from './files/files.ts'
import { runFiles } from './run-files.ts'
import type { TaskRecord } from './task.ts'

const MIB = 2 ** 20

/** Stores so many parts of 1 MiB; how many bytes came to the files. */
async function store(count: number): Promise<number> {
  const run = create(RunRefSchema, { leaseId: 'lease_a', tenant: 'acct_a/live', workId: 'task_a', attempt: 1 })
  const task = { id: 'task_a', tenant: run.tenant, attempt: 1 } as Partial<TaskRecord> as TaskRecord
  let bytes = 0
  const files = {
    outputOf: async () => undefined,
    async upload({ bytes: content }: { bytes: AsyncIterable<Uint8Array> }) {
      for await (const part of content) bytes += part.length
      return { id: 'file_a' }
    },
  } as unknown as Files
  async function* data(): AsyncGenerator<Uint8Array, void> {
    for (let n = 0; n < count; n++) yield new Uint8Array(MIB)
  }
  const call = { signal: new AbortController().signal } as HandlerContext
  const models = { read: async () => undefined }
  const never = async () => assert.fail('nothing is trained')
  const stored = runFiles(files, models, models, { read: never, store: never }, { keep: never, discard: never })
  await stored.store(task, { run, artifact: undefined, data: data() }, call)
  return bytes
}

it('an output of 64 MiB is stored, and a larger one is cut', async () => {
  assert.equal(await store(64), 64 * MIB)
  assert.equal(await refusal(store(65)), 'payload_too_large')
})
