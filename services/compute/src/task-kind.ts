/** What makes a compute task another than tasks of other kinds. */
import { jsonWriter } from '@millhand/api'
import { TaskSchema } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import type { TaskKind } from '@millhand/task'
import type { TaskRecord } from './task.ts'
import { toMessage } from './task-message.ts'

const writeTask = jsonWriter(TaskSchema)

export const computeTask: TaskKind<TaskRecord> = {
  idPrefix: 'task',
  eventPrefix: 'task.',
  topic: 'millhand.tasks.v1',
  write: (task, output) => writeTask(toMessage(task, { output })),
  poolOf: mode => `${mode}/onnx`,
  inputsAt: 'inputs/',
}
