import assert from 'node:assert/strict'
import { it } from 'node:test'
import { create } from '@bufbuild/protobuf'
import type { HandlerContext } from '@connectrpc/connect'
import {
  type StoreOutputRequest,
  StoreOutputRequestSchema,
} from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import type { ComputeDeps } from '../compute-deps.ts'
import { refusal } from '../files/files.fixture.ts'
import { storeOutput } from './store-output.ts'

const MIB = 2 ** 20

/** Stores so many parts of 1 MiB; how many bytes came to the files. */
async function store(count: number): Promise<number> {
  const run = { leaseId: 'lease_a', tenant: 'acct_a/live', workId: 'task_a', attempt: 1 }
  const task = { id: 'task_a', tenant: run.tenant, status: 'running', lease_id: 'lease_a', attempt: 1 }
  let bytes = 0
  const files = {
    outputOf: async () => undefined,
    async upload({ bytes: content }: { bytes: AsyncIterable<Uint8Array> }) {
      for await (const part of content) bytes += part.length
      return { id: 'file_a' }
    },
  }
  const deps = { tasks: { get: async () => task }, files } as unknown as ComputeDeps
  async function* requests(): AsyncGenerator<StoreOutputRequest, void> {
    yield create(StoreOutputRequestSchema, { part: { case: 'run', value: run } })
    const value = new Uint8Array(MIB)
    for (let n = 0; n < count; n++) yield create(StoreOutputRequestSchema, { part: { case: 'data', value } })
  }
  await storeOutput(deps)(requests(), { signal: new AbortController().signal } as HandlerContext)
  return bytes
}

it('an output of 64 MiB is stored, and a larger one is cut', async () => {
  assert.equal(await store(64), 64 * MIB)
  assert.equal(await refusal(store(65)), 'payload_too_large')
})
