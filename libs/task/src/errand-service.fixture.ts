/** What a service has to write for tasks of its kind. Its callers speak to it in compute's words. */
import { create } from '@bufbuild/protobuf'
import { modeOfWord } from '@millhand/api'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { TaskSchema } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { TaskEventSchema } from '@millhand/api/gen/millhand/compute/v1/task_stream_pb.ts'
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
  errorMessage,
  getTask,
  hasEnded,
  leaseMethods,
  leaseWithInput,
  madeBefore,
  newLife,
  progressMessage,
  ring,
  runsBegun,
  statuses,
  type Told,
  timestamp,
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
  const show = async (errand: Errand) => toMessage(errand, await deps.inputs.read(errand))

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
        cancelTask: cancelTask(deps, async (outcome, errand) => ({ id: errand.id, outcome, task: await show(errand) })),
        deleteTaskData: deleteTaskData(deps, async () => {}, show),
        waitTask: waitTask(deps, ComputeService.method.waitTask, show),
        watchTask: watchTask(deps, ComputeService.method.watchTask, toEvent),
      })
      router.service(LeaseService, leaseMethods({ ...deps, lend: errand => leaseWithInput(deps.inputs, errand) }))
      router.service(OwnerService, { ring: ring(options.onRing) })
    },
  }
}

function toMessage(errand: Errand, input?: string) {
  const { id, group: model, status, mode, output, error, progress, created_at, resource_version, seconds } = errand
  return create(TaskSchema, {
    id,
    model,
    status: statuses[status],
    mode: modeOfWord(mode),
    attempt: runsBegun(errand),
    createdAt: timestamp(created_at),
    resourceVersion: resource_version,
    ...(input !== undefined && { input }),
    ...(output !== undefined && { output }),
    ...(error && { error: errorMessage(error) }),
    ...(progress && { progress: progressMessage(progress) }),
    ...(seconds !== undefined && { usage: { computeMs: seconds * 1000 } }),
  })
}

const toEvent = ({ task, place, type, at, entry, emission }: Told<Errand>) =>
  create(TaskEventSchema, {
    sequence: BigInt(place),
    type,
    taskId: task.id,
    attempt: entry.attempt,
    createdAt: timestamp(at),
    ...(emission ? said(emission) : changed(task, entry)),
  })

function said(emission: NonNullable<Told<Errand>['emission']>) {
  if ('output' in emission) return { output: emission.output }
  return 'log' in emission ? { log: emission.log } : { progress: progressMessage(emission.progress) }
}

const changed = (errand: Errand, entry: Told<Errand>['entry']) => ({
  ...(entry.error && { error: errorMessage({ ...entry.error, retryable: true }) }),
  ...(hasEnded(entry) && { task: toMessage(errand) }),
})
