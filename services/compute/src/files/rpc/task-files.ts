/** Files that runs of other services' tasks make: `TaskFileService`. */
import { timestampMs } from '@bufbuild/protobuf/wkt'
import type { HandlerContext } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import type { File } from '@millhand/api/gen/millhand/compute/v1/file_pb.ts'
import type {
  KeepTaskFileRequest,
  KeepTaskFileResponse,
  StoreTaskFileRequest,
} from '@millhand/api/gen/millhand/compute/v1/task_file_service_pb.ts'
import { principal } from '@millhand/rpc'
import type { FileDeps } from '../file-deps.ts'
import { fileMessage } from '../file-message.ts'

/** How long a file stays that no result names. */
const UNNAMED_S = 3_600

/** Stores a file of a run; where it is sent again, because the answer was lost, it is there already. */
export const storeTaskFile =
  ({ files }: FileDeps) =>
  async (requests: AsyncIterable<StoreTaskFileRequest>, call: HandlerContext): Promise<File> => {
    const parts = requests[Symbol.asyncIterator]()
    try {
      const { value: first } = await parts.next()
      if (first?.part.case !== 'file')
        throw fail('missing_parameter', 'The first message must be the `file`.', { param: 'file' })
      const { run, filename, mediaType } = first.part.value
      const { tenant } = principal(call)
      const output_of = `${run}/${filename}`
      const earlier = await files.outputOf(tenant, output_of)
      if (earlier !== undefined) {
        for await (const _ of dataOf(parts)) {
          // Taken all the same: it may be all that its sender can do.
        }
        return fileMessage(earlier)
      }
      const description = {
        purpose: 'output',
        filename,
        media_type: mediaType,
        expires_after_s: UNNAMED_S,
        metadata: {},
        output_of,
      } as const
      return fileMessage(await files.upload({ tenant, description, bytes: dataOf(parts), signal: call.signal }))
    } finally {
      parts.return?.().catch(() => {}) // It may wait for a sender that sends nothing more.
    }
  }

async function* dataOf(parts: AsyncIterator<StoreTaskFileRequest>): AsyncGenerator<Uint8Array, void> {
  for (let next = await parts.next(); !next.done; next = await parts.next()) {
    const { part } = next.value
    if (part.case !== 'data')
      throw fail('invalid_parameter', 'After the `file` comes nothing but `data`.', { param: 'file' })
    yield part.value
  }
}

export const keepTaskFile =
  ({ files }: FileDeps) =>
  async ({ id, run, until }: KeepTaskFileRequest, call: HandlerContext): Promise<KeepTaskFileResponse> => ({
    $typeName: 'millhand.compute.v1.KeepTaskFileResponse',
    kept: until !== undefined && (await files.keepOutput(principal(call).tenant, id, run, timestampMs(until))),
  })
