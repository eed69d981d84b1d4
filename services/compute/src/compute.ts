/** Compute: tasks, their life, and the models that they run. */

import { createClient } from '@connectrpc/connect'
import { type Cursors, createIds, type Ids } from '@millhand/api'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { OwnerService } from '@millhand/api/gen/millhand/lease/v1/owner_service_pb.ts'
import type { Blobs } from '@millhand/blob'
import { createWorkStore, type LeaseCause, Pool, type WorkStore } from '@millhand/lease'
import type { Catalogue } from '@millhand/model'
import type { Routes } from '@millhand/rpc'
import type { Clock } from '@millhand/runner'
import type { Collection, DocumentRef } from '@millhand/store'
import type { Log } from '@millhand/telemetry'
import { atOwner, type Replicas } from './at-owner.ts'
import { taskEvents } from './events.ts'
import { createInputs, type Inputs } from './input.ts'
import { removeExpired } from './retention.ts'
import { cancelTask } from './rpc/cancel-task.ts'
import { createTask } from './rpc/create-task.ts'
import { deleteTaskData } from './rpc/delete-task-data.ts'
import { getTask } from './rpc/get-task.ts'
import { claim, finish, renew } from './rpc/leases.ts'
import { listTasks } from './rpc/list-tasks.ts'
import { getModel, listModels } from './rpc/models.ts'
import { ring } from './rpc/ring.ts'
import { waitTask } from './rpc/wait-task.ts'
import type { TaskRecord } from './task.ts'
import { type TaskCause, taskTransition } from './transition.ts'
import { TaskWatch } from './watch.ts'

export { onlyReplica, type Replicas } from './at-owner.ts'
export { type TaskRecord, tasksSpec } from './task.ts'

export interface ComputeOptions {
  readonly tasks: Collection<TaskRecord, 'ready' | 'due'>
  readonly blobs: Blobs
  readonly models: Catalogue
  readonly cursors: Cursors
  readonly clock: Clock
  readonly log: Log
  readonly replicas: Replicas
  /** Hears of documents that another replica has changed. */
  readonly onRing: (documents: readonly DocumentRef[]) => void
  /** How long an ended task and its data are kept, in milliseconds. */
  readonly retentionMs: number
  /** Millionths of a dollar for a second of compute. */
  readonly pricePerSecondMicros: number
  /** From 0 up to 1. */
  readonly random?: () => number
}

/** What the methods work with. */
export interface ComputeDeps {
  readonly tasks: WorkStore<TaskRecord, TaskCause>
  readonly replicas: Replicas
  readonly pools: ReadonlyMap<string, Pool<TaskRecord, TaskCause>>
  readonly inputs: Inputs
  readonly models: Catalogue
  readonly watch: TaskWatch
  readonly cursors: Cursors
  readonly clock: Clock
  readonly log: Log
  readonly ids: Ids
  readonly newEventId: () => string
  /** About how many tasks run before this one, while it is queued. */
  readonly position: (task: TaskRecord) => number | undefined
}

export function createComputeService(options: ComputeOptions) {
  const { clock, models, log } = options
  const ids = createIds({ now: () => clock.now() })
  const newEventId = () => ids('evt')
  const watch = new TaskWatch(clock)
  const pools = new Map<string, Pool<TaskRecord, TaskCause>>()
  const onChanged = (before: TaskRecord | undefined, after: TaskRecord) => {
    pools.get(after.pool)?.changed(before, after)
    watch.changed(after)
  }
  const tasks = createWorkStore<TaskRecord, TaskCause>({
    collection: options.tasks,
    machine: {
      transition: taskTransition({
        retentionMs: options.retentionMs,
        pricePerSecondMicros: options.pricePerSecondMicros,
        gpuType: 'cpu',
        random: options.random ?? Math.random,
      }),
      events: (before, after, now) => taskEvents(before, after, now, newEventId),
    },
    clock,
    onChanged,
  })
  pools.set(
    'live/onnx',
    new Pool<TaskRecord, TaskCause>({
      name: 'live/onnx',
      work: tasks as WorkStore<TaskRecord, TaskCause | LeaseCause>,
      clock,
      newLeaseId: () => crypto.randomUUID(),
      weight: () => 1,
      maxBatch: id => maxBatchOf(models, id),
      onError: error => log.error('pool.sweep_failed', { error }),
    }),
  )
  const { replicas } = options
  const deps: ComputeDeps = {
    tasks,
    replicas,
    pools,
    inputs: createInputs(options.blobs),
    models,
    watch,
    cursors: options.cursors,
    clock,
    log,
    ids,
    newEventId,
    position: task => (task.status === 'queued' ? pools.get(task.pool)?.position(task.id) : undefined),
  }

  return {
    routes(router: Routes): void {
      router.service(ComputeService, {
        createTask: createTask(deps),
        getTask: getTask(deps),
        listTasks: listTasks(deps),
        cancelTask: cancelTask(deps),
        deleteTaskData: deleteTaskData(deps),
        waitTask: waitTask(deps),
        listModels: listModels(deps),
        getModel: getModel(deps),
      })
      router.service(LeaseService, {
        claim: claim(deps),
        renew: atOwner(replicas, LeaseService.method.renew, renew(deps)),
        finish: atOwner(replicas, LeaseService.method.finish, finish(deps)),
      })
      router.service(OwnerService, { ring: ring(options) })
    },
    /**
     * What the owner of the queues does until the signal ends: fills and sweeps them, and removes what has been kept
     * long enough. Claims and waits end with the signal, however long the store takes with what was asked of it before.
     */
    async run(signal: AbortSignal): Promise<void> {
      signal.addEventListener('abort', () => watch.endAll(), { once: true })
      await Promise.all([
        ...[...pools.values()].map(pool => pool.run(signal)),
        removeExpired({ ...deps, retentionMs: options.retentionMs }, log, signal),
      ])
      watch.endAll() // What came while it ended.
    },
    /** Tells the owner of a task that another replica has changed: as it is in the store now. */
    heard: (task: TaskRecord): void => onChanged(undefined, task),
    /** Tells the owner, where that is another replica, of documents that this one has changed. Never fails. */
    async tellOwner(documents: readonly DocumentRef[]): Promise<void> {
      const owner = replicas.owner()
      if (owner === undefined || owner === 'here') return
      try {
        await createClient(OwnerService, replicas.peer(owner.address)).ring(
          { documents: [...documents] },
          { timeoutMs: TELL_MS },
        )
      } catch (error) {
        log.debug('owner.not_told', { documents: documents.length, error }) // It looks for what it missed.
      }
    },
  }
}

/** After that the owner has found it by itself. */
const TELL_MS = 1_000

function maxBatchOf(models: Catalogue, id: string): number {
  const model = models.get(id)
  return model?.status === 'ready' ? model.manifest.maxBatch : 1
}
