/** Writes of batches: a compare-and-set, together with the event of a change of the status. */
import { type Ids, jsonWriter, publicEvent } from '@millhand/api'
import { BatchSchema } from '@millhand/api/gen/millhand/batch/v1/batch_pb.ts'
import { publicTopics } from '@millhand/eventlog/public-topics'
import type { Clock } from '@millhand/process'
import type { OutboxEvent } from '@millhand/store'
import type { Batches, BatchRecord, Status } from './batch.ts'
import { batchMessage } from './batch-message.ts'

export interface BatchStoreDeps {
  readonly batches: Batches
  readonly clock: Clock
  readonly ids: Ids
}

/** Stores a new batch; false where its id is taken. */
export async function insertBatch(deps: BatchStoreDeps, batch: BatchRecord): Promise<boolean> {
  const events = [eventOf(deps, batch)]
  return (await deps.batches.write({ kind: 'insert', document: batch, events })).kind === 'written'
}

/**
 * Changes a batch as it is now; again, where another change came between. Resolves with the batch after it; undefined
 * where there is none. `change` answers with the same batch where nothing is to be changed.
 */
export async function changeBatch(
  deps: BatchStoreDeps,
  tenant: string,
  id: string,
  change: (batch: BatchRecord) => BatchRecord,
): Promise<BatchRecord | undefined> {
  for (;;) {
    const before = await deps.batches.get(tenant, id)
    if (before === undefined) return undefined
    const changed = change(before)
    if (changed === before) return before
    const isNews = changed.status !== before.status
    const document = isNews ? { ...changed, resource_version: before.resource_version + 1 } : changed
    const events = isNews ? [eventOf(deps, document)] : []
    const result = await deps.batches.write({ kind: 'replace', version: before.version, document, events })
    if (result.kind === 'written') return { ...document, version: result.version }
  }
}

const types: Readonly<Record<Status, keyof (typeof publicTopics.batches.carries)[0]['events']>> = {
  running: 'batch.created',
  cancelling: 'batch.cancelling',
  completed: 'batch.completed',
  cancelled: 'batch.cancelled',
  expired: 'batch.expired',
}

const writeBatch = jsonWriter(BatchSchema)

const eventOf = ({ clock, ids }: BatchStoreDeps, batch: BatchRecord): OutboxEvent =>
  publicEvent({
    topic: publicTopics.batches.name,
    key: batch.id,
    id: ids('evt'),
    type: types[batch.status],
    time: clock.now(),
    accountId: batch.account_id,
    mode: batch.mode,
    resourceVersion: batch.resource_version,
    object: writeBatch(batchMessage(batch)),
    requestId: batch.request_id,
    traceparent: batch.traceparent,
  })
