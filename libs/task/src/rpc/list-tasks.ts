import { timestampMs } from '@bufbuild/protobuf/wkt'
import type { HandlerContext } from '@connectrpc/connect'
import { type Cursors, enumWords } from '@millhand/api'
import { TaskStatusSchema } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { type ListTasksRequest, TaskField } from '@millhand/api/gen/millhand/compute/v1/task_request_pb.ts'
import { principal } from '@millhand/rpc'
import { readPage } from '@millhand/store'
import { createdRange } from '../created-range.ts'
import type { TaskBase } from '../task.ts'
import type { TaskDeps } from '../task-deps.ts'
import type { ToMessage } from '../task-message.ts'

/** The part of a request for a list that all kinds have. */
export type ListRequest = Pick<
  ListTasksRequest,
  'status' | 'createdAfter' | 'createdBefore' | 'metadata' | 'include' | 'order' | 'limit' | 'cursor'
>

/** How a kind's list is filtered, beside the status, the times and the labels. */
export interface TaskList<T extends TaskBase, R extends ListRequest> {
  /** Cursors of another list are refused. */
  readonly name: string
  /** The values of the request's filters, the status among them: a cursor is good for the same ones only. */
  readonly filters: (req: R) => readonly unknown[]
  /** Whether the task passes the kind's own filters; undefined where the request has none. */
  readonly passes: (req: R) => ((task: T) => boolean) | undefined
  /** The one millisecond (since 1970) in which what passes was created, where the filters say so. */
  readonly createdAt?: (req: R) => number | undefined
}

type ListDeps<T extends TaskBase> = Pick<TaskDeps<T>, 'kind' | 'tasks' | 'inputs' | 'clock' | 'position'> & {
  readonly cursors: Cursors
}

/** Lists tasks, newest first. */
export const listTasks =
  <T extends TaskBase, R extends ListRequest, M>(
    { kind, tasks, inputs, cursors, clock, position }: ListDeps<T>,
    list: TaskList<T, R>,
    toMessage: ToMessage<T, M>,
  ) =>
  async (req: R, call: HandlerContext) => {
    const { data, more } = await readPage({
      find: tasks.find,
      tenant: principal(call).tenant,
      range: createdRange(kind.idPrefix, req, clock.now(), list.createdAt?.(req)),
      passes: filterOf(list, req),
      list: [list.name, ...list.filters(req), ...sharedFilters(req)],
      cursors,
      request: req,
    })
    const withInput = req.include.includes(TaskField.INPUT)
    const withOutput = req.include.includes(TaskField.OUTPUT)
    const shown = data.map(async task =>
      toMessage(task, {
        input: withInput ? await inputs.read(task) : undefined,
        output: withOutput ? task.output : undefined,
        position: position(task),
      }),
    )
    return { data: await Promise.all(shown), ...more }
  }

const statusWords = enumWords(TaskStatusSchema)

/** The labels in one order: the same filters give the same list, in whatever order they are written. */
function sharedFilters({ createdAfter, createdBefore, metadata }: ListRequest): unknown[] {
  const times = [createdAfter, createdBefore].map(time => time && timestampMs(time))
  return [...times, Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1))]
}

/** Undefined where nothing is filtered. */
function filterOf<T extends TaskBase, R extends ListRequest>(list: TaskList<T, R>, req: R) {
  const status = req.status && statusWords.get(req.status)
  const labels = Object.entries(req.metadata)
  const passes = list.passes(req)
  if (status === undefined && passes === undefined && labels.length === 0) return undefined
  return (task: T) =>
    (status === undefined || task.status === status) &&
    (passes === undefined || passes(task)) &&
    labels.every(([key, value]) => task.metadata[key] === value)
}
