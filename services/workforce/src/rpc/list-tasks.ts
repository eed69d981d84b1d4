import type { ListWorkforceTasksRequest } from '@millhand/api/gen/millhand/workforce/v1/task_pb.ts'
import { createdAtOfBatch, type TaskList } from '@millhand/task'
import type { TaskRecord } from '../task.ts'

/** The list of an employee's tasks, filtered by the kind of work. */
export const taskList: TaskList<TaskRecord, ListWorkforceTasksRequest> = {
  name: 'workforce_tasks',
  filters: ({ employee, status, task, batchId }) => [employee, status, task, batchId],
  passes: req => task =>
    task.employee === req.employee &&
    (req.task === undefined || task.task === req.task) &&
    (req.batchId === undefined || task.batch_id === req.batchId),
  createdAt: ({ batchId }) => createdAtOfBatch(batchId),
}
