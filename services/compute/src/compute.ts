/** Compute: tasks that run models, and the models. What is the life of any task is in libs/task. */
import type { Cursors } from '@millhand/api'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { StreamTokenService } from '@millhand/api/gen/millhand/compute/v1/stream_token_service_pb.ts'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { OwnerService } from '@millhand/api/gen/millhand/lease/v1/owner_service_pb.ts'
import type { Blobs } from '@millhand/blob'
import type { Replicas } from '@millhand/lease'
import type { Catalogue } from '@millhand/model'
import type { Plans } from '@millhand/plans'
import type { Routes } from '@millhand/rpc'
import type { Clock } from '@millhand/runner'
import type { Collection, DocumentRef } from '@millhand/store'
import {
  cancelTask,
  createStreamToken,
  createTasks,
  deleteTaskData,
  type EmissionsRecord,
  getTask,
  leaseMethods,
  listTasks,
  redeemStreamToken,
  ring,
  showTask,
  type TargetFault,
  type UnsettledFiles,
  waitTask,
  watchTask,
} from '@millhand/task'
import type { Log } from '@millhand/telemetry'
import type { ComputeDeps } from './compute-deps.ts'
import type { Files } from './files/files.ts'
import { lend } from './input-file.ts'
import { computeTask } from './kind.ts'
import { computeTransition } from './life.ts'
import { filesOfResults, removeOutput } from './output-file.ts'
import { createTask } from './rpc/create-task.ts'
import { taskList } from './rpc/list-tasks.ts'
import { getModel, listModels } from './rpc/models.ts'
import { readInput } from './rpc/read-input.ts'
import { storeOutput } from './rpc/store-output.ts'
import type { TaskIndex, TaskRecord } from './task.ts'
import { toMessage } from './to-message.ts'

export { usedByTask } from './input-file.ts'
export { emissionsSpec, type TaskIndex, type TaskRecord, tasksSpec, unsettledSpec } from './task.ts'

export interface ComputeOptions {
  readonly tasks: Collection<TaskRecord, TaskIndex>
  readonly emissions: Collection<EmissionsRecord, never>
  readonly unsettled: Collection<UnsettledFiles, never>
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

export function createComputeService(options: ComputeOptions) {
  const {
    models,
    plans,
    files,
    targetFault,
    cursors,
    retentionMs,
    pricePerSecondMicros,
    random = Math.random,
  } = options
  const tasks = createTasks<TaskRecord>({
    ...options,
    kind: computeTask,
    transition: computeTransition({ retentionMs, pricePerSecondMicros, gpuType: 'cpu', random }),
    share({ plan }) {
      const { weight, max_running: mostRunning } = plans.computePlan(plan)
      return { weight, mostRunning }
    },
    // In the sandbox no task waits for another's end: each run is of one.
    maxBatch: (mode, model) => (mode === 'test' ? 1 : maxBatchOf(models, model)),
  })
  const deps: ComputeDeps = { ...tasks.deps, files, models, plans, targetFault, cursors }
  const outputFiles = filesOfResults(deps, options.unsettled)
  const show = (task: TaskRecord) => showTask(deps, toMessage, task)

  return {
    routes(router: Routes): void {
      router.service(ComputeService, {
        createTask: createTask(deps),
        getTask: getTask(deps, show),
        listTasks: listTasks(deps, taskList, toMessage),
        cancelTask: cancelTask(deps, show),
        deleteTaskData: deleteTaskData(deps, task => removeOutput(deps, task), show),
        waitTask: waitTask(deps, ComputeService.method.waitTask, show),
        watchTask: watchTask(deps, ComputeService.method.watchTask, toMessage),
        createStreamToken: createStreamToken(deps),
        listModels: listModels(deps),
        getModel: getModel(deps),
      })
      router.service(StreamTokenService, { redeemStreamToken: redeemStreamToken(deps) })
      router.service(LeaseService, {
        ...leaseMethods({ ...deps, lend: task => lend(deps, task), outputFiles }),
        readInput: readInput(deps),
        storeOutput: storeOutput(deps),
      })
      router.service(OwnerService, { ring: ring(options.onRing) })
    },
    async run(signal: AbortSignal): Promise<void> {
      await Promise.all([tasks.run(signal), outputFiles.run(signal)])
    },
    heard: tasks.heard,
    tellOwner: tasks.tellOwner,
  }
}

function maxBatchOf(models: Catalogue, id: string): number {
  const model = models.get(id)
  return model?.status === 'ready' ? model.manifest.maxBatch : 1
}
