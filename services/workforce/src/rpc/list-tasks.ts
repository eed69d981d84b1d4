import type { ListWorkforceTasksRequest } from '@millhand/api/gen/millhand/workforce/v1/task_pb.ts'
import type { TaskList } from '@millhand/task'
import type { TaskRecord } from '../task.ts'

/** The list of an employee's tasks, filtered by the kind of work. */
export const taskList: TaskList<TaskRecord, ListWorkforceTasksRequest> = {
  name: 'workforce_tasks',
  filters: ({ employee, status, task }) => [employee, status, task],
  passes: req => task => task.employee === req.employee && (req.task === undefined || task.task === req.task),
}
