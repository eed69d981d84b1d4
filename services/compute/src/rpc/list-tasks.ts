import { timestampMs } from '@bufbuild/protobuf/wkt'
import type { HandlerContext } from '@connectrpc/connect'
import { enumWords } from '@millhand/api'
import {
  type ListTasksRequest,
  type ListTasksResponse,
  TaskField,
  TaskStatusSchema,
  TaskTypeSchema,
} from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { principal } from '@millhand/rpc'
import { readPage } from '@millhand/store'
import { createdRange } from '@millhand/task'
import type { ComputeDeps } from '../compute-deps.ts'
import { computeTask } from '../kind.ts'
import type { TaskRecord } from '../task.ts'
import { toMessage } from '../to-message.ts'

/** Lists tasks, newest first. */
export const listTasks =
  ({ tasks, inputs, cursors, clock, position }: ComputeDeps) =>
  async (req: ListTasksRequest, call: HandlerContext): Promise<ListTasksResponse> => {
    const { data, more } = await readPage({
      find: tasks.find,
      tenant: principal(call).tenant,
      range: createdRange(computeTask.idPrefix, req, clock.now()),
      passes: filterOf(req),
      list: ['tasks', ...filtersOf(req)],
      cursors,
      request: req,
    })

    const withInput = req.include.includes(TaskField.INPUT)
    const withOutput = req.include.includes(TaskField.OUTPUT)
    return {
      $typeName: 'millhand.compute.v1.ListTasksResponse',
      data: await Promise.all(
        data.map(async task =>
          toMessage(task, {
            input: withInput ? await inputs.read(task) : undefined,
            output: withOutput ? task.output : undefined,
            position: position(task),
          }),
        ),
      ),
      ...more,
    }
  }

const statusWords = enumWords(TaskStatusSchema)
const typeWords = enumWords(TaskTypeSchema)

/** What a cursor is bound to: the same filters give the same list, in whatever order they are written. */
function filtersOf({ status, type, model, createdAfter, createdBefore, metadata }: ListTasksRequest): unknown[] {
  const times = [createdAfter, createdBefore].map(time => time && timestampMs(time))
  return [status, type, model, ...times, Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1))]
}

/** None where nothing is filtered. */
function filterOf(req: ListTasksRequest): ((task: TaskRecord) => boolean) | undefined {
  const status = req.status && statusWords.get(req.status)
  const type = req.type && typeWords.get(req.type)
  const labels = Object.entries(req.metadata)
  if (status === undefined && type === undefined && req.model === undefined && labels.length === 0) return undefined
  return task =>
    (status === undefined || task.status === status) &&
    (type === undefined || task.type === type) &&
    (req.model === undefined || task.group === req.model) &&
    labels.every(([key, value]) => task.metadata[key] === value)
}
