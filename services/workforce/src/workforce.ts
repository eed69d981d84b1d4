/** The workforce: work for AI employees, as tasks. What is the life of any task is in libs/task; docs/decisions/workforce-service.md. */
import type { Client } from '@connectrpc/connect'
import type { Cursors } from '@millhand/api'
import type { WorkforceUsageService } from '@millhand/api/gen/millhand/billing/v1/workforce_usage_service_pb.ts'
import type { FileService } from '@millhand/api/gen/millhand/compute/v1/file_service_pb.ts'
import type { TaskFileService } from '@millhand/api/gen/millhand/compute/v1/task_file_service_pb.ts'
import type { QuotaService } from '@millhand/api/gen/millhand/identity/v1/quota_service_pb.ts'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { OwnerService } from '@millhand/api/gen/millhand/lease/v1/owner_service_pb.ts'
import { WorkforceService } from '@millhand/api/gen/millhand/workforce/v1/workforce_service_pb.ts'
import type { Blobs } from '@millhand/blob'
import type { Replicas } from '@millhand/lease'
import type { Plans } from '@millhand/plans'
import type { Routes } from '@millhand/rpc'
import type { Clock } from '@millhand/runner'
import type { Database, DocumentRef } from '@millhand/store'
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
import { readCatalogue } from './catalogue.ts'
import { knownEmployees, requireKnown } from './employees.ts'
import type { Engines } from './engine-choice.ts'
import { lend } from './lend.ts'
import { workforceTransition } from './life.ts'
import { giveBackLostPlaces } from './quota/lost-places.ts'
import { createPlaces } from './quota/places.ts'
import { createTask } from './rpc/create-task.ts'
import { getUsage } from './rpc/get-usage.ts'
import { listEmployees } from './rpc/list-employees.ts'
import { taskList } from './rpc/list-tasks.ts'
import { ofEmployee, requireEmployee } from './rpc/of-employee.ts'
import { telling } from './rpc/telling.ts'
import { filesOfResults, readInput, removeOutput, storeOutput } from './run-files.ts'
import { emissionsSpec, type TaskIndex, type TaskRecord, tasksSpec, unsettledSpec } from './task.ts'
import { workforceTask } from './task-kind.ts'
import { toMessage } from './to-message.ts'
import type { WorkforceDeps } from './workforce-deps.ts'

export { type TaskRecord, tasksSpec } from './task.ts'

export interface WorkforceOptions extends Engines {
  readonly db: Database
  readonly blobs: Blobs
  readonly files: Client<typeof FileService>
  readonly taskFiles: Client<typeof TaskFileService>
  readonly quota: Client<typeof QuotaService>
  readonly usage: Client<typeof WorkforceUsageService>
  readonly plans: Pick<Plans, 'workforcePlan'>
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

/** One replica of the service. It reads the catalogue of employees, and throws where that is wrong. */
export function createWorkforceService(options: WorkforceOptions) {
  const {
    db,
    files,
    taskFiles,
    quota,
    usage,
    plans,
    targetFault,
    cursors,
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
    transition: workforceTransition({ ...options, random }),
    share({ plan }) {
      const { weight, max_running: mostRunning } = plans.workforcePlan(plan)
      return { weight, mostRunning }
    },
  })
  const deps: WorkforceDeps = {
    ...tasks.deps,
    employees: knownEmployees(readCatalogue()),
    files,
    taskFiles,
    usage,
    places: createPlaces({ quota, clock }),
    plans,
    targetFault,
    cursors,
    languageModel,
    hasPrices,
    imageModel,
    hasImagePrice,
  }
  const outputFiles = filesOfResults(deps, db.collection<UnsettledFiles>(unsettledSpec))
  const show = (task: TaskRecord) => showTask(deps, toMessage, task)
  const tell = telling(deps.places)
  const list = listTasks(deps, taskList, toMessage)
  const watch = watchTask(deps, WorkforceService.method.watchWorkforceTask, toMessage)

  return {
    routes(router: Routes): void {
      router.service(WorkforceService, {
        createWorkforceTask: tell(createTask(deps)),
        getWorkforceTask: tell(ofEmployee(deps, getTask(deps, show))),
        listWorkforceTasks: tell(async (req, call) => {
          requireKnown(deps.employees, req.employee)
          return await list(req, call)
        }),
        cancelWorkforceTask: tell(ofEmployee(deps, cancelTask(deps, show))),
        deleteWorkforceTaskData: tell(
          ofEmployee(
            deps,
            deleteTaskData(deps, task => removeOutput(deps, task), show),
          ),
        ),
        waitWorkforceTask: waitTask(deps, WorkforceService.method.waitWorkforceTask, show),
        async *watchWorkforceTask(req, call) {
          await requireEmployee(deps, req, call)
          yield* watch(req, call)
        },
        createWorkforceStreamToken: tell(ofEmployee(deps, createStreamToken(deps))),
        redeemStreamToken: redeemStreamToken(deps),
        listEmployees: tell(listEmployees(deps)),
        getWorkforceUsage: tell(getUsage(deps)),
      })
    },
    /** What executors and other replicas call. Compute answers the same services, for its own work. */
    ownRoutes(router: Routes): void {
      router.service(LeaseService, {
        ...leaseMethods({ ...deps, lend: task => lend(deps, task), outputFiles }),
        readInput: readInput(deps),
        storeOutput: storeOutput(deps),
      })
      router.service(OwnerService, { ring: ring(options.onRing) })
    },
    /** What the owner of the queues does until the signal ends. */
    async run(signal: AbortSignal): Promise<void> {
      await Promise.all([tasks.run(signal), giveBackLostPlaces({ ...deps, quota }, signal), outputFiles.run(signal)])
    },
    heard: tasks.heard,
    tellOwner: tasks.tellOwner,
  }
}
