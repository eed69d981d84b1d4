import type { HandlerContext } from '@connectrpc/connect'
import { firstIdAt } from '@millhand/api'
import type { ListFilesRequest, ListFilesResponse } from '@millhand/api/gen/millhand/compute/v1/file_pb.ts'
import { Order } from '@millhand/api/gen/millhand/type/v1/mode_pb.ts'
import { principal } from '@millhand/rpc'
import { readPage, settlesAfterMs } from '@millhand/store'
import { type FileRecord, isThere } from '../file.ts'
import type { FileDeps } from '../file-deps.ts'
import { fileMessage, purposeOf } from '../file-message.ts'

/** Lists files, newest first. */
export const listFiles =
  ({ collection, cursors, clock }: FileDeps) =>
  async (req: ListFilesRequest, call: HandlerContext): Promise<ListFilesResponse> => {
    const now = clock.now()
    const purpose = req.purpose && purposeOf(req.purpose)
    const shown = (file: FileRecord) => isThere(file, now) && (purpose === undefined || file.purpose === purpose)
    const { data, more } = await readPage({
      find: (index, query) => collection.find(index, query),
      tenant: principal(call).tenant,
      range: {
        after: undefined,
        before: req.order === Order.ASC ? firstIdAt('file', now - settlesAfterMs) : undefined,
      },
      passes: shown,
      list: ['files', purpose],
      cursors,
      request: req,
    })
    return {
      $typeName: 'millhand.compute.v1.ListFilesResponse',
      data: data.filter(file => isThere(file, now)).map(fileMessage),
      ...more,
    }
  }
