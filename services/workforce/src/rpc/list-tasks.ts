import { timestampMs } from '@bufbuild/protobuf/wkt'
import type { HandlerContext } from '@connectrpc/connect'
import { enumWords } from '@millhand/api'
import { TaskField, TaskStatusSchema } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import type {
  ListWorkforceTasksRequest,
  ListWorkforceTasksResponse,
} from '@millhand/api/gen/millhand/workforce/v1/task_pb.ts'
import { principal } from '@millhand/rpc'
import { readPage } from '@millhand/store'
import { createdRange } from '@millhand/task'
import { requireKnown } from '../employees.ts'
import type { TaskRecord } from '../task.ts'
import { workforceTask } from '../task-kind.ts'
import { toMessage } from '../to-message.ts'
import type { WorkforceDeps } from '../workforce-deps.ts'

/** Lists an employee's tasks, newest first. */
export const listTasks =
  ({ tasks, inputs, cursors, clock, position, employees }: WorkforceDeps) =>
  async (req: ListWorkforceTasksRequest, call: HandlerContext): Promise<ListWorkforceTasksResponse> => {
    requireKnown(employees, req.employee)
    const { data, more } = await readPage({
      find: tasks.find,
      tenant: principal(call).tenant,
      range: createdRange(workforceTask.idPrefix, req, clock.now()),
      passes: filterOf(req),
      list: ['workforce_tasks', ...filtersOf(req)],
      cursors,
      request: req,
    })
    const withBrief = req.include.includes(TaskField.INPUT)
    const withOutput = req.include.includes(TaskField.OUTPUT)
    return {
      $typeName: 'millhand.workforce.v1.ListWorkforceTasksResponse',
      data: await Promise.all(
        data.map(async task =>
          toMessage(task, {
            input: withBrief ? await inputs.read(task) : undefined,
            output: withOutput ? task.output : undefined,
            position: position(task),
          }),
        ),
      ),
      ...more,
    }
  }

const statusWords = enumWords(TaskStatusSchema)

/** What a cursor is bound to: the same filters give the same list, in whatever order they are written. */
function filtersOf({ employee, status, task, createdAfter, createdBefore, metadata }: ListWorkforceTasksRequest) {
  const times = [createdAfter, createdBefore].map(time => time && timestampMs(time))
  return [employee, status, task, ...times, Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1))]
}

function filterOf(req: ListWorkforceTasksRequest): (task: TaskRecord) => boolean {
  const status = req.status && statusWords.get(req.status)
  const labels = Object.entries(req.metadata)
  return task =>
    task.employee === req.employee &&
    (status === undefined || task.status === status) &&
    (req.task === undefined || task.task === req.task) &&
    labels.every(([key, value]) => task.metadata[key] === value)
}
