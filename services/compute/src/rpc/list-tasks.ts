import { enumWords } from '@millhand/api'
import { TaskTypeSchema } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import type { ListTasksRequest } from '@millhand/api/gen/millhand/compute/v1/task_request_pb.ts'
import { createdAtOfBatch, type TaskList } from '@millhand/task'
import { modelOf, type TaskRecord } from '../task.ts'

const typeWords = enumWords(TaskTypeSchema)

/** The list of an account's tasks, filtered by type, model and batch. */
export const taskList: TaskList<TaskRecord, ListTasksRequest> = {
  name: 'tasks',
  filters: ({ status, type, model, batchId }) => [status, type, model, batchId],
  passes(req) {
    const { model, batchId } = req
    const type = req.type && typeWords.get(req.type)
    if (type === undefined && model === undefined && batchId === undefined) return undefined
    return task =>
      (type === undefined || task.type === type) &&
      (model === undefined || modelOf(task) === model) &&
      (batchId === undefined || task.batch_id === batchId)
  },
  createdAt: ({ batchId }) => createdAtOfBatch(batchId),
}
