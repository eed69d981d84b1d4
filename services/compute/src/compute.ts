/** Compute: tasks, their life, and the models that they run. */

import { createClient } from '@connectrpc/connect'
import { type Cursors, createIds, type KeyMode } from '@millhand/api'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { StreamTokenService } from '@millhand/api/gen/millhand/compute/v1/stream_token_service_pb.ts'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { OwnerService } from '@millhand/api/gen/millhand/lease/v1/owner_service_pb.ts'
import type { Blobs } from '@millhand/blob'
import { atOwner, createWorkStore, type LeaseCause, Pool, type Replicas, type WorkStore } from '@millhand/lease'
import type { Catalogue } from '@millhand/model'
import type { Plans } from '@millhand/plans'
import type { Routes } from '@millhand/rpc'
import type { Clock } from '@millhand/runner'
import type { Collection, DocumentRef } from '@millhand/store'
import {
  Backlog,
  createEmissions,
  createInputs,
  createStreamToken,
  createStreamTokens,
  type EmissionsRecord,
  modeOf,
  redeemStreamToken,
  removeExpired,
  type TargetFault,
  type TaskCause,
  type TaskDeps,
  TaskWatch,
  taskEvents,
} from '@millhand/task'
import type { Log } from '@millhand/telemetry'
import type { Files } from './files/files.ts'
import { computeTask } from './kind.ts'
import { computeTransition } from './life.ts'
import { cancelTask } from './rpc/cancel-task.ts'
import { createTask } from './rpc/create-task.ts'
import { deleteTaskData } from './rpc/delete-task-data.ts'
import { emit } from './rpc/emit.ts'
import { getTask } from './rpc/get-task.ts'
import { claim, finish, renew } from './rpc/leases.ts'
import { listTasks } from './rpc/list-tasks.ts'
import { getModel, listModels } from './rpc/models.ts'
import { readInput } from './rpc/read-input.ts'
import { ring } from './rpc/ring.ts'
import { storeOutput } from './rpc/store-output.ts'
import { waitTask } from './rpc/wait-task.ts'
import { watchTask } from './rpc/watch-task.ts'
import type { TaskIndex, TaskRecord } from './task.ts'

export { usedByTask } from './input-file.ts'
export { emissionsSpec, type TaskIndex, type TaskRecord, tasksSpec } from './task.ts'

export interface ComputeOptions {
  readonly tasks: Collection<TaskRecord, TaskIndex>
  readonly emissions: Collection<EmissionsRecord, never>
  readonly files: Files
  readonly blobs: Blobs
  readonly models: Catalogue
  readonly plans: Pick<Plans, 'computePlan'>
  readonly targetFault: TargetFault
  readonly cursors: Cursors
  /** At least 32 bytes, the same for all replicas. */
  readonly streamTokenSecret: Uint8Array
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
export interface ComputeDeps extends TaskDeps<TaskRecord> {
  readonly files: Files
  readonly models: Catalogue
  readonly plans: Pick<Plans, 'computePlan'>
  readonly targetFault: TargetFault
  readonly cursors: Cursors
}

export function createComputeService(options: ComputeOptions) {
  const { clock, models, plans, log } = options
  const ids = createIds({ now: () => clock.now() })
  const newEventId = () => ids('evt')
  const watch = new TaskWatch<TaskRecord>(clock)
  const onChanged = (before: TaskRecord | undefined, after: TaskRecord) => {
    pools[after.mode].changed(before, after)
    watch.changed(after)
  }
  const tasks = createWorkStore<TaskRecord, TaskCause>({
    collection: options.tasks,
    machine: {
      transition: computeTransition({
        retentionMs: options.retentionMs,
        pricePerSecondMicros: options.pricePerSecondMicros,
        gpuType: 'cpu',
        random: options.random ?? Math.random,
      }),
      events: (before, after, now) => taskEvents(computeTask, before, after, now, newEventId),
    },
    clock,
    onChanged,
  })
  const share = ({ plan }: TaskRecord) => {
    const { weight, max_running: mostRunning } = plans.computePlan(plan)
    return { weight, mostRunning }
  }
  const createPool = (mode: KeyMode, maxBatch: (modelId: string) => number) =>
    new Pool<TaskRecord, TaskCause>({
      name: computeTask.poolOf(mode),
      work: tasks as WorkStore<TaskRecord, TaskCause | LeaseCause>,
      clock,
      newLeaseId: () => crypto.randomUUID(),
      share,
      maxBatch,
      onError: error => log.error('pool.sweep_failed', { pool: computeTask.poolOf(mode), error }),
    })
  const pools = {
    live: createPool('live', id => maxBatchOf(models, id)),
    // In the sandbox no task waits for another's end: each run is of one.
    test: createPool('test', () => 1),
  }
  const { replicas } = options
  const deps: ComputeDeps = {
    kind: computeTask,
    tasks,
    emissions: createEmissions(options.emissions),
    replicas,
    pools,
    inputs: createInputs(options.blobs, computeTask.inputsAt),
    files: options.files,
    models,
    plans,
    targetFault: options.targetFault,
    backlog: new Backlog(
      (tenant, limit) => tasks.countWaiting(computeTask.poolOf(modeOf(tenant)), tenant, limit),
      clock,
    ),
    watch,
    cursors: options.cursors,
    streamTokens: createStreamTokens(options.streamTokenSecret, clock),
    clock,
    log,
    ids,
    newEventId,
    retentionMs: options.retentionMs,
    position: task => (task.status === 'queued' ? pools[task.mode].position(task.id) : undefined),
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
        watchTask: watchTask(deps),
        createStreamToken: createStreamToken(deps),
        listModels: listModels(deps),
        getModel: getModel(deps),
      })
      router.service(StreamTokenService, { redeemStreamToken: redeemStreamToken(deps) })
      router.service(LeaseService, {
        claim: claim(deps),
        renew: atOwner(replicas, LeaseService.method.renew, renew(deps)),
        emit: atOwner(replicas, LeaseService.method.emit, emit(deps)),
        finish: atOwner(replicas, LeaseService.method.finish, finish(deps)),
        readInput: readInput(deps),
        storeOutput: storeOutput(deps),
      })
      router.service(OwnerService, { ring: ring(options) })
    },
    /**
     * What the owner of the queues does until the signal ends: fills and sweeps them, and removes what has been kept
     * long enough. Claims and waits end with the signal, however long the store takes with what was asked of it before.
     */
    async run(signal: AbortSignal): Promise<void> {
      watch.hear(signal)
      await Promise.all([pools.live.run(signal), pools.test.run(signal), removeExpired(deps, signal)])
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
