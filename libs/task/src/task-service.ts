/** The service of a kind of task: the methods of its API and those that executors and other replicas call. */

import type { DescMessage, DescMethodServerStreaming, DescMethodUnary, MessageShape } from '@bufbuild/protobuf'
import type { Cursors } from '@millhand/api'
import type { Lease, LeasedModel } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { OwnerService } from '@millhand/api/gen/millhand/lease/v1/owner_service_pb.ts'
import type { Routes } from '@millhand/rpc'
import type { Collection, DocumentRef } from '@millhand/store'
import { type LinesOptions, lineParts } from './line-parts.ts'
import { outputFiles, type UnsettledFiles } from './output-files.ts'
import { cancelTask } from './rpc/cancel-task.ts'
import { createStreamToken } from './rpc/create-stream-token.ts'
import { deleteTaskData } from './rpc/delete-task-data.ts'
import { getTask } from './rpc/get-task.ts'
import { type ExecutorSeen, leaseMethods } from './rpc/leases.ts'
import { type ListRequest, listTasks, type TaskList } from './rpc/list-tasks.ts'
import { redeemStreamToken } from './rpc/redeem-stream-token.ts'
import { ring } from './rpc/ring.ts'
import { type RunFiles, readInput, readModel, storeOutput } from './rpc/run-files.ts'
import { waitTask } from './rpc/wait-task.ts'
import { watchTask } from './rpc/watch-task.ts'
import type { TaskBase } from './task.ts'
import type { TaskDeps } from './task-deps.ts'
import type { ToMessage } from './task-message.ts'
import type { Tasks } from './tasks.ts'

/** What the API of a kind of task has that those of other kinds do not. */
export interface TaskApi<
  T extends TaskBase,
  R extends ListRequest,
  I extends DescMessage,
  O extends DescMessage,
  J extends DescMessage,
  E extends DescMessage,
> {
  readonly toMessage: ToMessage<T, MessageShape<O>>
  readonly list: TaskList<T, R>
  /** The methods that a replica passes on to the owner of the queues. */
  readonly waitTask: DescMethodUnary<I, O>
  readonly watchTask: DescMethodServerStreaming<J, E>
}

export interface TaskServiceOptions<T extends TaskBase> {
  readonly tasks: Tasks<T>
  readonly cursors: Cursors
  /** What an executor gets of a task; undefined where its input is not in the store any more. */
  readonly toLease: (task: T) => Promise<Lease | undefined>
  /** What tasks of one group run, where executors do not know the group: asked with one of them. */
  readonly modelOf?: (task: T) => Promise<LeasedModel | undefined>
  /** Where the files of runs lie, and the notes of those that are not settled. Left out, a result that is a file is none. */
  readonly files?: RunFiles<T> & { readonly unsettled: Collection<UnsettledFiles> }
  /** Of a kind whose tasks may be over JSON Lines, and that has files. */
  readonly lines?: LinesOptions<T>
  /** Hears which executors there are, and what they compute on. */
  readonly onExecutor?: (executor: ExecutorSeen) => void
  /** Hears of documents that another replica has changed. */
  readonly onRing: (documents: readonly DocumentRef[]) => void
}

/** One replica of the service of a kind of task, but for the method that creates one. */
export function taskService<
  T extends TaskBase,
  R extends ListRequest,
  I extends DescMessage,
  O extends DescMessage,
  J extends DescMessage,
  E extends DescMessage,
>(api: TaskApi<T, R, I, O, J, E>, options: TaskServiceOptions<T>) {
  const { tasks, cursors, toLease, modelOf, files, lines, onExecutor, onRing } = options
  const { deps, heard, tellOwner } = tasks
  const show = (task: T) => showTask(deps, api.toMessage, task)
  const results = files && outputFiles<T>({ ...deps, ...files })
  const parts = files && lines && lineParts<T>({ ...deps, ...files, ...lines })
  const removeFiles = async (task: T) => {
    await Promise.all(files?.namedBy(task).map(file => files.remove(task.tenant, file)) ?? [])
  }

  return {
    /** The methods that callers use, by the names that they have in compute. */
    methods: {
      getTask: getTask(deps, show),
      listTasks: listTasks({ ...deps, cursors }, api.list, api.toMessage),
      cancelTask: cancelTask(deps, show),
      deleteTaskData: deleteTaskData(deps, removeFiles, show),
      waitTask: waitTask(deps, api.waitTask, show),
      watchTask: watchTask(deps, api.watchTask, api.toMessage),
      createStreamToken: createStreamToken(deps),
      redeemStreamToken: redeemStreamToken(deps),
    },
    /** Registers what executors and other replicas call. */
    ownRoutes(router: Routes): void {
      router.service(LeaseService, {
        ...leaseMethods({
          ...deps,
          toLease,
          ...(onExecutor && { onExecutor }),
          ...(modelOf && { modelOf }),
          ...(results && { outputFiles: results }),
        }),
        ...(files && {
          readInput: readInput(deps, files),
          readModel: readModel(deps, files),
          storeOutput: storeOutput(deps, files),
        }),
        ...(parts && { storePart: parts.storePart, joinParts: parts.joinParts }),
      })
      router.service(OwnerService, { ring: ring(onRing) })
    },
    /** What the owner of the queues does until the signal ends. */
    async run(signal: AbortSignal): Promise<void> {
      await Promise.all([tasks.run(signal), results?.run(signal), parts?.run(signal)])
    },
    heard,
    tellOwner,
  }
}

/** The task as a call for this one task shows it: with its input, its output and, while it is queued, its position. */
export async function showTask<T extends TaskBase, M>(
  { inputs, position }: Pick<TaskDeps<T>, 'inputs' | 'position'>,
  toMessage: ToMessage<T, M>,
  task: T,
): Promise<M> {
  return toMessage(task, { input: await inputs.read(task), output: task.output, position: position(task) })
}
