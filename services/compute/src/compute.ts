/** Compute: tasks that run models, and the models. What is the life of any task is in libs/task. */

import type { Cursors } from '@millhand/api'
import { BatchTaskService } from '@millhand/api/gen/millhand/batch/v1/batch_task_service_pb.ts'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { ExecutorService } from '@millhand/api/gen/millhand/compute/v1/executor_service_pb.ts'
import { StreamTokenService } from '@millhand/api/gen/millhand/compute/v1/stream_token_service_pb.ts'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import type { Blobs } from '@millhand/blob'
import type { Refusal, Replicas, RunReport } from '@millhand/lease'
import { isRefusal } from '@millhand/lease'
import { accelerators, type Catalogue } from '@millhand/model'
import type { Plans, Prices } from '@millhand/plans'
import type { Clock } from '@millhand/process'
import type { Routes } from '@millhand/rpc'
import type { Collection, DocumentRef } from '@millhand/store'
import type { TaskCause, TaskRules } from '@millhand/task'
import {
  batchTaskMethods,
  computeBill,
  createTasks,
  type EmissionsRecord,
  hasEnded,
  type TargetFault,
  taskService,
  taskTransition,
  type UnsettledFiles,
} from '@millhand/task'
import type { Log } from '@millhand/telemetry'
import type { ComputeDeps } from './compute-deps.ts'
import { confinedLeases } from './executors/confined-leases.ts'
import { createExecutorStandings } from './executors/executor-standings.ts'
import { type ExecutorTokens, type GetTokenDeps, getToken } from './executors/get-token.ts'
import { runOf } from './files/file.ts'
import type { Files } from './files/files.ts'
import { createGpuTypes } from './hardware/gpu-types.ts'
import { Hardware } from './hardware/hardware.ts'
import type { CapacityClient } from './hardware/instance-capacity.ts'
import { toLease } from './input-file.ts'
import type { OwnModels } from './models/own-models.ts'
import { createTaskModels } from './models/task-models.ts'
import type { TextGeneration } from './models/text-generation.ts'
import { batchTasks } from './rpc/batch-tasks.ts'
import { createModel } from './rpc/create-model.ts'
import { createTask } from './rpc/create-task.ts'
import { deleteModel } from './rpc/delete-model.ts'
import { taskList } from './rpc/list-tasks.ts'
import { getModel, listModels } from './rpc/models.ts'
import { joinLines, runFiles } from './run-files.ts'
import { modelOf, type TaskIndex, type TaskRecord } from './task.ts'
import { acceleratedPoolOf, computeTask } from './task-kind.ts'
import { toMessage } from './task-message.ts'
import { createCheckpoints } from './training/checkpoints.ts'
import { createParents } from './training/parents.ts'
import { createTrainedModels } from './training/trained-models.ts'

export type { ExecutorTokens } from './executors/get-token.ts'
export { modelUsedBy, usedByTask } from './input-file.ts'
export { emissionsSpec, type TaskIndex, type TaskRecord, tasksSpec, unsettledSpec } from './task.ts'

export interface ComputeOptions {
  readonly tasks: Collection<TaskRecord, TaskIndex>
  readonly emissions: Collection<EmissionsRecord, never>
  readonly unsettled: Collection<UnsettledFiles, never>
  readonly files: Files
  readonly blobs: Blobs
  readonly models: Catalogue
  readonly ownModels: OwnModels
  readonly textGeneration: TextGeneration
  readonly plans: Pick<Plans, 'computePlan' | 'prices'>
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
  /** From 0 up to 1. */
  readonly random?: () => number
  /** Tells what instances can run on. */
  readonly capacity?: CapacityClient | undefined
  /** Lets executors join that run in instances. */
  readonly joining?: JoiningOptions | undefined
}

/** What lets executors join that run in instances. */
export interface JoiningOptions {
  readonly tokens: ExecutorTokens
  readonly capacity: GetTokenDeps['capacity'] & Parameters<typeof createExecutorStandings>[0]
}

export function createComputeService(options: ComputeOptions) {
  const { models, ownModels, plans, files, targetFault, cursors, retentionMs, random = Math.random } = options
  const taskModels = createTaskModels({ models, ownModels, files })
  // At the start, because it reads files of up to 120 MiB: no request waits for it.
  for (const model of models.list()) if (model.status === 'ready') taskModels.partsOf(model)
  const hardware = new Hardware(options.clock)
  const gpuTypes = createGpuTypes({ ...options, hardware })
  const tasks = createTasks<TaskRecord>({
    ...options,
    kind: computeTask,
    transition: computeTransition({ retentionMs, prices: plans.prices, random }),
    share({ plan }) {
      const { weight, max_running: maxRunning } = plans.computePlan(plan)
      return { weight, maxRunning }
    },
    modelName: ({ group }) => (models.get(group) === undefined ? 'own' : group),
    // In the sandbox no task waits for another's end: each run is of one.
    maxBatch: (pool, group) => (SHARING.has(pool) ? taskModels.maxBatch(group) : 1),
  })
  const deps: ComputeDeps = {
    ...tasks.deps,
    files,
    models,
    ownModels,
    taskModels,
    gpuTypes,
    textGeneration: options.textGeneration,
    plans,
    targetFault,
    cursors,
  }
  const checkpoints = createCheckpoints({ ...options, tasks: tasks.deps.tasks })
  const parents = createParents({ models, ownModels, taskModels })
  const trained = createTrainedModels({ tasks: tasks.deps.tasks, files, ownModels, parents })
  const service = taskService(api, {
    ...options,
    tasks,
    toLease: task => toLease(deps, task),
    modelOf: task => taskModels.leased(task),
    onExecutor({ executorId, pool, device }) {
      if (device) hardware.claimed(pool.startsWith('test/') ? 'test' : 'live', executorId, device)
      else hardware.renewed(executorId)
    },
    files: { ...runFiles(files, taskModels, parents, checkpoints, trained), unsettled: options.unsettled },
    lines: {
      blobs: options.blobs,
      partsAt: 'parts/',
      join: joinLines(files),
      joined: async ({ id, tenant, attempt }) => (await files.outputOf(tenant, runOf(id, attempt)))?.id,
      ended: (limit, after) =>
        options.tasks.find('unsettled_lines', {
          equals: ['ended'],
          ...(after && { after: [after.tenant, after.id] }),
          limit,
        }),
    },
  })
  const { redeemStreamToken, ...methods } = service.methods
  const { joining, clock } = options
  const joined = joining && { ...joining, clock, standings: createExecutorStandings(joining.capacity, clock) }

  return {
    routes(router: Routes): void {
      router.service(ComputeService, {
        ...methods,
        createTask: createTask(deps),
        createModel: createModel(deps),
        deleteModel: deleteModel(deps),
        listModels: listModels(deps),
        getModel: getModel(deps),
        listGpuTypes: gpuTypes.list,
      })
      router.service(BatchTaskService, batchTaskMethods(deps, batchTasks(deps)))
      router.service(StreamTokenService, { redeemStreamToken })
      if (joined === undefined) service.ownRoutes(router)
      else joinedRoutes(joined, service.ownRoutes, router)
    },
    async run(signal: AbortSignal): Promise<void> {
      hardware.begin()
      await Promise.all([service.run(signal), checkpoints.run(signal)])
    },
    heard: service.heard,
    tellOwner: service.tellOwner,
  }
}

/** Registers what executors call, of which some run the tasks of one account alone. */
function joinedRoutes(deps: GetTokenDeps, routes: (router: Routes) => void, router: Routes): void {
  router.service(ExecutorService, { getToken: getToken(deps) })
  routes({
    service(desc, methods) {
      if (desc.typeName === LeaseService.typeName) router.service(LeaseService, confinedLeases(methods, deps.standings))
      else router.service(desc, methods)
    },
  })
}

/** Pools whose tasks may share a run. */
const SHARING: ReadonlySet<string> = new Set([
  computeTask.poolOf('live'),
  ...accelerators.map(provider => acceleratedPoolOf('live', provider, false)),
])

const api = {
  toMessage,
  list: taskList,
  waitTask: ComputeService.method.waitTask,
  watchTask: ComputeService.method.watchTask,
}

/** The life of a compute task: that of any task, what its run is billed, and until when its input file is needed. */
interface TransitionRules extends Pick<TaskRules<TaskRecord>, 'retentionMs' | 'random'> {
  readonly prices: Pick<Prices, 'computeSecond'>
}

/** The task after `cause`, or why it can't be. Pure but for the jitter that it is given. */
export function computeTransition(rules: TransitionRules) {
  const { retentionMs, random } = rules
  const live = taskTransition<TaskRecord>({
    ...{ retentionMs, random },
    bill: (...run) => billed(rules, ...run),
    keepsOutput: ({ type, parameters }) => type === 'training' && parameters?.on_cancel === 'keep_best',
  })

  return (task: TaskRecord, cause: TaskCause, now: number): TaskRecord | Refusal => {
    const after = live(task, cause, now)
    if (isRefusal(after) || !hasEnded(after)) return after
    // A model that was made, and that its task does not name after all, is removed.
    const isNamed = after.status === 'succeeded' || after.output !== undefined
    const trained_file = isNamed ? after.trained_file : undefined
    if (after.uses_file === undefined && after.uses_model === undefined && after.trained_file === trained_file)
      return after
    return { ...after, trained_file, uses_file: undefined, uses_model: undefined }
  }
}

/** What ran, and usage and cost of the attempt that ends the task. Contract, section 4, "Billing". */
function billed({ prices }: TransitionRules, task: TaskRecord, report: RunReport, now: number): Partial<TaskRecord> {
  const gpu_type = report.gpu_type || 'cpu'
  const { instance_id, input_tokens = 0, output_tokens = 0 } = report
  // Its owner pays for the instance, and not twice for the same second.
  const price = instance_id === undefined ? prices.computeSecond(gpu_type, modelOf(task), now) : 0
  const { queue_ms, compute_ms, cost_micros } = computeBill(task, report, price)
  const { engine_kind: kind, engine_name: name, provider } = report
  // An executor knows an own model by its file alone.
  const model_version = task.own_model === undefined && report.group_version ? report.group_version : task.model_version
  return {
    usage: {
      ...{ queue_ms, compute_ms, gpu_type, items: report.items || (task.type === 'batch' ? 0 : 1) },
      ...(input_tokens + output_tokens > 0 && { input_tokens, output_tokens }),
      ...(instance_id !== undefined && { instance_id }),
    },
    cost_micros,
    ...(task.type === 'training' && { trained_file: report.artifact_files?.[0] }),
    ...(kind !== '' && { engine: { kind, name, provider }, model_version }),
  }
}
