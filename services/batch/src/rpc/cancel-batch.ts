import type { HandlerContext } from '@connectrpc/connect'
import type { BatchCancellation, CancelBatchRequest } from '@millhand/api/gen/millhand/batch/v1/batch_pb.ts'
import { CancelOutcome } from '@millhand/api/gen/millhand/compute/v1/task_request_pb.ts'
import { principal } from '@millhand/rpc'
import { hasEnded, requireBatch } from '../batch.ts'
import type { BatchDeps } from '../batch-deps.ts'
import { batchMessage } from '../batch-message.ts'
import { changeBatch } from '../batch-store.ts'

/** Cancels a batch that has tasks which have not ended; its owner stops those. Idempotent. */
export const cancelBatch =
  (deps: BatchDeps) =>
  async ({ id }: CancelBatchRequest, call: HandlerContext): Promise<BatchCancellation> => {
    const { batches, clock, wake } = deps
    const { tenant } = principal(call)
    const changed = await changeBatch(deps, tenant, id, before =>
      before.status === 'running' && before.tasks_ended_at === undefined
        ? { ...before, status: 'cancelling', cancel_requested_at: clock.now(), unseen: 'yes' }
        : before,
    )
    const batch = changed ?? (await requireBatch(batches, tenant, id))
    wake()
    return {
      $typeName: 'millhand.batch.v1.BatchCancellation',
      id,
      outcome: hasEnded(batch) || batch.status === 'running' ? CancelOutcome.ALREADY_FINISHED : CancelOutcome.REQUESTED,
      batch: batchMessage(batch),
    }
  }
