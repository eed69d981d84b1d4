/** What a service has to write for tasks of its kind. Its callers speak to it in compute's words. */
import { create } from '@bufbuild/protobuf'
import { createCursors } from '@millhand/api'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { type Task, TaskSchema } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { idOf, principal, type Routes } from '@millhand/rpc'
import type { Database, DocumentRef } from '@millhand/store'
import { type Errand, errandEmissionsSpec, errandKind, errandsSpec, errandTransition } from './errand.fixture.ts'
import {
  addTask,
  createTasks,
  type EmissionsRecord,
  findExistingTask,
  leaseWithInput,
  newTaskFields,
  showTask,
  type TaskParts,
  taskMessage,
  taskService,
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
  const tasks = createTasks<Errand>({
    ...options,
    kind: errandKind,
    transition: errandTransition,
    share: () => ({ weight: 1, maxRunning: 10_000 }),
    maxBatch: pool => (pool.startsWith('live/') ? 8 : 1),
    streamTokenSecret: new Uint8Array(32),
  })
  const { deps } = tasks
  const show = (errand: Errand) => showTask(deps, toMessage, errand)
  const service = taskService(api, {
    ...options,
    tasks,
    cursors: createCursors(new Uint8Array(32)),
    toLease: errand => leaseWithInput(deps.inputs, errand),
  })
  const { redeemStreamToken: _, ...methods } = service.methods

  return {
    ...service,
    routes(router: Routes): void {
      router.service(ComputeService, {
        async createTask(req, call) {
          const { tenant } = principal(call)
          const id = idOf(errandKind.idPrefix, call, deps.ids)
          const before = await findExistingTask(deps, call, tenant, id)
          if (before) return await show(before)
          const errand: Errand = {
            ...newTaskFields(deps, req, call, id, req.queueTimeoutS ?? 86_400, undefined),
            group: req.model,
            rank: 1,
            ...deps.inputs.placed(tenant, id, req.input),
            run_timeout_s: 600,
            max_attempts: 3,
          }
          return await show(await addTask(deps, errand, req.input, 100_000))
        },
        ...methods,
      })
      service.ownRoutes(router)
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

const api = {
  toMessage,
  list: { name: 'errands', filters: () => [], passes: () => undefined },
  waitTask: ComputeService.method.waitTask,
  watchTask: ComputeService.method.watchTask,
}
