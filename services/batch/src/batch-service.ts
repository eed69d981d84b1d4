/** Batches: many tasks that come in one request. docs/decisions/batches.md */
import type { Client } from '@connectrpc/connect'
import { type Cursors, createIds } from '@millhand/api'
import { BatchService } from '@millhand/api/gen/millhand/batch/v1/batch_service_pb.ts'
import type { FileService } from '@millhand/api/gen/millhand/compute/v1/file_service_pb.ts'
import type { TaskFileService } from '@millhand/api/gen/millhand/compute/v1/task_file_service_pb.ts'
import type { Blobs } from '@millhand/blob'
import type { EventLog } from '@millhand/eventlog'
import { publicTopics } from '@millhand/eventlog/public-topics'
import { type Clock, createWakeUp } from '@millhand/process'
import type { Routes } from '@millhand/rpc'
import type { Database } from '@millhand/store'
import type { Log } from '@millhand/telemetry'
import { createActiveLimits } from './active-limits.ts'
import { type Batches, batchesSpec } from './batch.ts'
import type { BatchDeps } from './batch-deps.ts'
import { BatchOwner } from './batch-owner.ts'
import type { TaskClients } from './item-kind.ts'
import { itemsSpec } from './item-state.ts'
import type { ItemsCollection } from './items-store.ts'
import { type ChangedPlansCollection, changedPlansSpec, takePlans } from './plan-changes.ts'
import { removeExpired } from './retention.ts'
import { cancelBatch } from './rpc/cancel-batch.ts'
import { createBatch } from './rpc/create-batch.ts'
import { getBatch, listBatches } from './rpc/read-batches.ts'
import { newsOf } from './task-events.ts'

export interface BatchOptions {
  readonly db: Database
  readonly blobs: Blobs
  readonly events: Pick<EventLog, 'subscribe'>
  readonly tasks: TaskClients
  readonly files: Client<typeof FileService>
  readonly taskFiles: Client<typeof TaskFileService>
  readonly cursors: Cursors
  readonly clock: Clock
  readonly log: Log
  /** How long an ended batch and its files are kept, in milliseconds. */
  readonly retentionMs: number
}

/** The consumer group, which keeps the offset in the event log. */
const GROUP = 'batch-progress'
const topics = [publicTopics.tasks.name, publicTopics.workforce.name, publicTopics.identity.name]

/** Between two passes over the batches, in milliseconds: at least, and at most without news. */
const PASS_MS = 50
const IDLE_MS = 500

export function createBatchService(options: BatchOptions) {
  const { db, events, clock, log } = options
  const batches: Batches = db.collection(batchesSpec)
  const items: ItemsCollection = db.collection(itemsSpec)
  const changedPlans: ChangedPlansCollection = db.collection(changedPlansSpec)
  const wakeUp = createWakeUp(clock)
  const deps: BatchDeps = {
    ...{ ...options, batches },
    ids: createIds({ now: () => clock.now() }),
    limits: createActiveLimits({ batches }),
    wake: wakeUp.wake,
  }

  async function passes(owner: BatchOwner, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await owner.pass().catch(error => log.error('batch.pass_failed', { error }))
      await clock.sleep(PASS_MS, signal).catch(() => {})
      await wakeUp.wait(IDLE_MS, signal)
    }
  }

  return {
    /** What its group reads of the event log. */
    topics: { [GROUP]: topics },
    routes(router: Routes): void {
      router.service(BatchService, {
        createBatch: createBatch(deps),
        getBatch: getBatch(deps),
        listBatches: listBatches(deps),
        cancelBatch: cancelBatch(deps),
      })
    },
    /** What the owner does until the signal ends. */
    async run(signal: AbortSignal): Promise<void> {
      const owner = new BatchOwner({ ...options, ...deps, items, changedPlans }, signal)
      const takeEvents: Parameters<EventLog['subscribe']>[2] = async events => {
        await takePlans({ ...deps, changedPlans }, events, log)
        const news = newsOf(events, log)
        for (const { tenant, id, changes } of news) owner.addNews(tenant, id, changes)
        if (news.length > 0) wakeUp.wake()
      }
      const ending = Promise.all([
        events.subscribe(GROUP, topics, takeEvents, signal),
        passes(owner, signal),
        removeExpired({ ...options, batches, items, changedPlans }, signal),
      ])
      await ending.finally(() => owner.close())
    },
  }
}
