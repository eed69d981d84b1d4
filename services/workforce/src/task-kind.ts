/** What makes a workforce task another than tasks of other kinds. */
import { jsonWriter } from '@millhand/api'
import { WorkforceTaskSchema } from '@millhand/api/gen/millhand/workforce/v1/task_pb.ts'
import type { TaskKind } from '@millhand/task'
import type { TaskRecord } from './task.ts'
import { toMessage } from './task-message.ts'

const writeTask = jsonWriter(WorkforceTaskSchema)

export const workforceTask: TaskKind<TaskRecord> = {
  idPrefix: 'wtask',
  eventPrefix: 'workforce.task.',
  topic: 'millhand.workforce.v1',
  write: (task, output) => writeTask(toMessage(task, { output })),
  poolOf: mode => `${mode}/workforce`,
  inputsAt: 'briefs/',
}
