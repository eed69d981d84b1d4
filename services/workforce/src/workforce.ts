/** The workforce: work for AI employees, as tasks. What is the life of any task is in libs/task; docs/decisions/workforce-service.md. */

import type { Client } from '@connectrpc/connect'
import type { Cursors } from '@millhand/api'
import { BatchTaskService } from '@millhand/api/gen/millhand/batch/v1/batch_task_service_pb.ts'
import type { WorkforceUsageService } from '@millhand/api/gen/millhand/billing/v1/workforce_usage_service_pb.ts'
import type { FileService } from '@millhand/api/gen/millhand/compute/v1/file_service_pb.ts'
import type { TaskFileService } from '@millhand/api/gen/millhand/compute/v1/task_file_service_pb.ts'
import type { QuotaService } from '@millhand/api/gen/millhand/identity/v1/quota_service_pb.ts'
import type { Lease } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import { WorkforceService } from '@millhand/api/gen/millhand/workforce/v1/workforce_service_pb.ts'
import type { Blobs } from '@millhand/blob'
import type { Replicas } from '@millhand/lease'
import type { Plans } from '@millhand/plans'
import type { Clock } from '@millhand/process'
import type { Routes } from '@millhand/rpc'
import type { Database, DocumentRef } from '@millhand/store'
import {
  batchTaskMethods,
  createTasks,
  type EmissionsRecord,
  leaseOf,
  type TargetFault,
  taskService,
  type UnsettledFiles,
} from '@millhand/task'
import type { Log } from '@millhand/telemetry'
import type { PublicEmployee } from './employee.ts'
import { knownEmployees, requireKnown } from './employees.ts'
import type { Engines } from './engine-choice.ts'
import { createDailyQuota } from './quota/daily-quota-client.ts'
import { reconcileQuota } from './quota/quota-reconciler.ts'
import { batchTasks } from './rpc/batch-tasks.ts'
import { createTask } from './rpc/create-task.ts'
import { getUsage } from './rpc/get-usage.ts'
import { listEmployees } from './rpc/list-employees.ts'
import { taskList } from './rpc/list-tasks.ts'
import { withQuotaHeaders } from './rpc/quota-headers.ts'
import { requireEmployee, withEmployee } from './rpc/require-employee.ts'
import { runFiles } from './run-files.ts'
import { emissionsSpec, type TaskIndex, type TaskRecord, tasksSpec, unsettledSpec } from './task.ts'
import { workforceTask } from './task-kind.ts'
import { toMessage } from './task-message.ts'
import { workforceTransition } from './transition.ts'
import type { WorkforceDeps } from './workforce-deps.ts'

export { type TaskRecord, tasksSpec } from './task.ts'

export interface WorkforceOptions extends Engines {
  readonly employees: readonly PublicEmployee[]
  readonly db: Database
  readonly blobs: Blobs
  readonly files: Client<typeof FileService>
  readonly taskFiles: Client<typeof TaskFileService>
  readonly quota: Client<typeof QuotaService>
  readonly usage: Client<typeof WorkforceUsageService>
  readonly plans: Pick<Plans, 'workforcePlan' | 'prices'>
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
}

/** One replica of the service. Throws if the input schema of an employee is invalid. */
export function createWorkforceService(options: WorkforceOptions) {
  const {
    db,
    files,
    taskFiles,
    quota,
    usage,
    plans,
    targetFault,
    clock,
    languageModel,
    hasPrices,
    imageModel,
    hasImagePrice,
    random = Math.random,
  } = options
  const tasks = createTasks<TaskRecord>({
    ...options,
    tasks: db.collection<TaskRecord, TaskIndex>(tasksSpec),
    emissions: db.collection<EmissionsRecord, never>(emissionsSpec),
    kind: workforceTask,
    transition: workforceTransition({ ...options, prices: plans.prices, random }),
    share({ plan }) {
      const { weight, max_running: maxRunning } = plans.workforcePlan(plan)
      return { weight, maxRunning }
    },
  })
  const deps: WorkforceDeps = {
    ...tasks.deps,
    employees: knownEmployees(options.employees),
    files,
    taskFiles,
    usage,
    dailyQuota: createDailyQuota({ quota, clock }),
    plans,
    targetFault,
    languageModel,
    hasPrices,
    imageModel,
    hasImagePrice,
  }
  const service = taskService(api, {
    ...options,
    tasks,
    toLease: task => toLease(deps, task),
    files: { ...runFiles(deps), unsettled: db.collection<UnsettledFiles>(unsettledSpec) },
  })
  const { methods } = service
  const tell = withQuotaHeaders(deps.dailyQuota)

  return {
    routes(router: Routes): void {
      router.service(WorkforceService, {
        createWorkforceTask: tell(createTask(deps)),
        getWorkforceTask: tell(withEmployee(deps, methods.getTask)),
        listWorkforceTasks: tell(async (req, call) => {
          requireKnown(deps.employees, req.employee)
          return await methods.listTasks(req, call)
        }),
        cancelWorkforceTask: tell(withEmployee(deps, methods.cancelTask)),
        deleteWorkforceTaskData: tell(withEmployee(deps, methods.deleteTaskData)),
        waitWorkforceTask: methods.waitTask,
        async *watchWorkforceTask(req, call) {
          await requireEmployee(deps, req, call)
          yield* methods.watchTask(req, call)
        },
        createWorkforceStreamToken: tell(withEmployee(deps, methods.createStreamToken)),
        redeemStreamToken: methods.redeemStreamToken,
        listEmployees: tell(listEmployees(deps)),
        getWorkforceUsage: tell(getUsage(deps)),
      })
    },
    /** What executors, other replicas and the service of batches call. Compute answers the same services, for its own work. */
    ownRoutes(router: Routes): void {
      service.ownRoutes(router)
      router.service(BatchTaskService, batchTaskMethods(deps, batchTasks(deps)))
    },
    /** What the owner of the queues does until the signal ends. */
    async run(signal: AbortSignal): Promise<void> {
      await Promise.all([service.run(signal), reconcileQuota({ ...deps, quota }, signal)])
    },
    heard: service.heard,
    tellOwner: service.tellOwner,
  }
}

const api = {
  toMessage,
  list: taskList,
  waitTask: WorkforceService.method.waitWorkforceTask,
  watchTask: WorkforceService.method.watchWorkforceTask,
}

/** What an executor gets of a task: its brief, its files by name and size, and how it is to be done. */
async function toLease({ inputs }: Pick<WorkforceDeps, 'inputs'>, task: TaskRecord): Promise<Lease | undefined> {
  const brief = await inputs.read(task)
  if (brief === undefined) return undefined
  const { engine, max_cost_micros: most, spent_micros: spent = 0 } = task
  return {
    ...leaseOf(task, brief),
    parameters: { engine, ...(most !== undefined && { max_cost_micros: Math.max(0, most - spent) }) },
    files: task.files.map(({ name, media_type, bytes }) => ({
      $typeName: 'millhand.lease.v1.GivenFile',
      name,
      mediaType: media_type,
      bytes,
    })),
  }
}
