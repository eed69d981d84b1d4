import type { HandlerContext } from '@connectrpc/connect'
import { enumWords, firstIdAt } from '@millhand/api'
import {
  type Batch,
  BatchStatusSchema,
  type GetBatchRequest,
  type ListBatchesRequest,
  type ListBatchesResponse,
} from '@millhand/api/gen/millhand/batch/v1/batch_pb.ts'
import { Order } from '@millhand/api/gen/millhand/type/v1/mode_pb.ts'
import { principal } from '@millhand/rpc'
import { readPage, settlesAfterMs } from '@millhand/store'
import { requireBatch } from '../batch.ts'
import type { BatchDeps } from '../batch-deps.ts'
import { batchMessage } from '../batch-message.ts'

export const getBatch =
  ({ batches }: BatchDeps) =>
  async ({ id }: GetBatchRequest, call: HandlerContext): Promise<Batch> =>
    batchMessage(await requireBatch(batches, principal(call).tenant, id))

/** Newest first. */
export const listBatches =
  ({ batches, cursors, clock }: BatchDeps) =>
  async (req: ListBatchesRequest, call: HandlerContext): Promise<ListBatchesResponse> => {
    const asked = req.status && statusWords.get(req.status)
    const before = req.order === Order.ASC ? firstIdAt('batch', clock.now() - settlesAfterMs) : undefined
    const { data, more } = await readPage({
      find: batches.find,
      tenant: principal(call).tenant,
      range: { after: undefined, before },
      passes: asked === undefined ? undefined : ({ status }) => status === asked,
      list: ['batches', asked],
      cursors,
      request: req,
    })
    return { $typeName: 'millhand.batch.v1.ListBatchesResponse', data: data.map(batchMessage), ...more }
  }

const statusWords = enumWords(BatchStatusSchema)
