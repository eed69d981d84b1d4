/** A batch as REST and events show it. */
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { modeOfWord } from '@millhand/api'
import { type Batch, BatchStatus } from '@millhand/api/gen/millhand/batch/v1/batch_pb.ts'
import type { BatchRecord } from './batch.ts'

const statuses = {
  running: BatchStatus.RUNNING,
  completed: BatchStatus.COMPLETED,
  cancelling: BatchStatus.CANCELLING,
  cancelled: BatchStatus.CANCELLED,
  expired: BatchStatus.EXPIRED,
} as const

export const batchMessage = (batch: BatchRecord): Batch => ({
  $typeName: 'millhand.batch.v1.Batch',
  id: batch.id,
  status: statuses[batch.status],
  mode: modeOfWord(batch.mode),
  total: batch.total,
  counts: { $typeName: 'millhand.batch.v1.BatchCounts', ...batch.counts },
  completionWindowS: batch.completion_window_s,
  metadata: { ...batch.metadata },
  createdAt: timestampFromMs(batch.created_at),
  expiresAt: timestampFromMs(batch.expires_at),
  resourceVersion: batch.resource_version,
  ...(batch.input_file !== undefined && { inputFile: batch.input_file }),
  ...(batch.output_file !== undefined && { outputFile: batch.output_file }),
  ...(batch.error_file !== undefined && { errorFile: batch.error_file }),
  ...(batch.results_error !== undefined && {
    resultsError: { $typeName: 'millhand.compute.v1.TaskError', ...batch.results_error, retryable: false },
  }),
  ...(batch.cancel_requested_at !== undefined && { cancelRequestedAt: timestampFromMs(batch.cancel_requested_at) }),
  ...(batch.finished_at !== undefined && { finishedAt: timestampFromMs(batch.finished_at) }),
  ...(batch.due_at !== undefined && { dataExpiresAt: timestampFromMs(batch.due_at) }),
})
