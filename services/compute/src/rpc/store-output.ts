import type { HandlerContext } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import type { StoreOutputRequest, StoreOutputResponse } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { heldTask } from '@millhand/task'
import type { ComputeDeps } from '../compute-deps.ts'
import { runOf, type StoredFile } from '../files/file.ts'

const MIB = 2 ** 20

/** Executors hold to the same bound: docs/decisions/files.md, "In tasks". */
const MOST_BYTES = 64 * MIB

/** How long an output stays that no result names. */
const UNNAMED_S = 3_600

/**
 * Stores the output of a run as a file, which the run's result then names. Where it is sent again, because the answer
 * was lost, the file is there already. Any replica answers.
 */
export const storeOutput =
  ({ tasks, files }: ComputeDeps) =>
  async (requests: AsyncIterable<StoreOutputRequest>, call: HandlerContext): Promise<StoreOutputResponse> => {
    const parts = requests[Symbol.asyncIterator]()
    try {
      const { value: first } = await parts.next()
      if (first?.part.case !== 'run')
        throw fail('missing_parameter', 'The first message must be the `run`.', { param: 'run' })
      const { id, tenant, attempt } = await heldTask(tasks, first.part.value)
      const output_of = runOf(id, attempt)
      const earlier = await files.outputOf(tenant, output_of)
      if (earlier !== undefined) {
        for await (const _ of dataOf(parts)) {
          // Taken all the same: it may be all that its sender can do.
        }
        return stored(earlier)
      }
      const description = {
        purpose: 'output',
        filename: `${id}.json`,
        media_type: 'application/json',
        expires_after_s: UNNAMED_S,
        metadata: {},
        output_of,
      } as const
      return stored(await files.upload({ tenant, description, bytes: dataOf(parts), signal: call.signal }))
    } finally {
      parts.return?.().catch(() => {}) // It may wait for an executor that sends nothing more.
    }
  }

const stored = ({ id }: StoredFile): StoreOutputResponse => ({
  $typeName: 'millhand.lease.v1.StoreOutputResponse',
  fileId: id,
})

async function* dataOf(parts: AsyncIterator<StoreOutputRequest>): AsyncGenerator<Uint8Array, void> {
  let bytes = 0
  for (let next = await parts.next(); !next.done; next = await parts.next()) {
    const { part } = next.value
    if (part.case !== 'data')
      throw fail('invalid_parameter', 'After the `run` comes nothing but `data`.', { param: 'run' })
    bytes += part.value.length
    if (bytes > MOST_BYTES) throw fail('payload_too_large', `An output has at most ${MOST_BYTES / MIB} MiB.`)
    yield part.value
  }
}
