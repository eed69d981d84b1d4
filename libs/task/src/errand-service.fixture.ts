/** What a service has to write for tasks of its kind. Its callers speak to it in compute's words. */
import { create } from '@bufbuild/protobuf'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { type Task, TaskSchema } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { OwnerService } from '@millhand/api/gen/millhand/lease/v1/owner_service_pb.ts'
import { idOf, principal, type Routes } from '@millhand/rpc'
import type { Database, DocumentRef } from '@millhand/store'
import { type Errand, errandEmissionsSpec, errandKind, errandsSpec, errandTransition } from './errand.fixture.ts'
import {
  addTask,
  cancelTask,
  createTasks,
  deleteTaskData,
  type EmissionsRecord,
  getTask,
  leaseMethods,
  leaseWithInput,
  madeBefore,
  newLife,
  ring,
  showTask,
  type TaskParts,
  taskMessage,
  waitTask,
  watchTask,
} from './index.ts'
import type { TasksOptions } from './tasks.ts'

export interface ErrandOptions
  extends Omit<TasksOptions<Errand>, 'kind' | 'transition' | 'share' | 'maxBatch' | 'streamTokenSecret'> {
  readonly onRing: (documents: readonly DocumentRef[]) => void
}

export const errandCollections = (db: Database) => ({
  tasks: db.collection<Errand, keyof typeof errandsSpec.indexes>(errandsSpec),
  emissions: db.collection<EmissionsRecord, never>(errandEmissionsSpec),
})

export function createErrandService(options: ErrandOptions) {
  const { deps, ...tasks } = createTasks<Errand>({
    ...options,
    kind: errandKind,
    transition: errandTransition,
    share: () => ({ weight: 1, mostRunning: 10_000 }),
    maxBatch: mode => (mode === 'live' ? 8 : 1),
    streamTokenSecret: new Uint8Array(32),
  })
  const show = (errand: Errand) => showTask(deps, toMessage, errand)

  return {
    ...tasks,
    routes(router: Routes): void {
      router.service(ComputeService, {
        async createTask(req, call) {
          const { accountId, mode, tenant } = principal(call)
          const id = idOf(errandKind.idPrefix, call, deps.ids)
          const before = await madeBefore(deps, call, tenant, id)
          if (before) return await show(before)
          const errand: Errand = {
            ...newLife(id, deps.clock.now(), req.queueTimeoutS ?? 86_400, undefined),
            tenant,
            account_id: accountId,
            mode,
            pool: errandKind.poolOf(mode),
            group: req.model,
            rank: 1,
            ...deps.inputs.placed(tenant, id, req.input),
            metadata: req.metadata,
            run_timeout_s: 600,
            max_attempts: 3,
          }
          return await show(await addTask(deps, errand, req.input, 100_000))
        },
        getTask: getTask(deps, show),
        cancelTask: cancelTask(deps, show),
        deleteTaskData: deleteTaskData(deps, async () => {}, show),
        waitTask: waitTask(deps, ComputeService.method.waitTask, show),
        watchTask: watchTask(deps, ComputeService.method.watchTask, toMessage),
      })
      router.service(LeaseService, leaseMethods({ ...deps, lend: errand => leaseWithInput(deps.inputs, errand) }))
      router.service(OwnerService, { ring: ring(options.onRing) })
    },
  }
}

function toMessage(errand: Errand, { input, output, position }: TaskParts = {}) {
  const { group: model, seconds } = errand
  const own = create(TaskSchema, {
    model,
    ...(input !== undefined && { input }),
    ...(output !== undefined && { output }),
    ...(seconds !== undefined && { usage: { computeMs: seconds * 1000 } }),
  })
  return taskMessage<Task>(own, errand, position)
}
