import { enumWords } from '@millhand/api'
import { TaskTypeSchema } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import type { ListTasksRequest } from '@millhand/api/gen/millhand/compute/v1/task_request_pb.ts'
import type { TaskList } from '@millhand/task'
import { modelOf, type TaskRecord } from '../task.ts'

const typeWords = enumWords(TaskTypeSchema)

/** The list of an account's tasks, filtered by type and model. */
export const taskList: TaskList<TaskRecord, ListTasksRequest> = {
  name: 'tasks',
  filters: ({ status, type, model }) => [status, type, model],
  passes(req) {
    const type = req.type && typeWords.get(req.type)
    if (type === undefined && req.model === undefined) return undefined
    return task =>
      (type === undefined || task.type === type) && (req.model === undefined || modelOf(task) === req.model)
  },
}
