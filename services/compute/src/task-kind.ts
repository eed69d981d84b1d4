/** What makes a compute task another than tasks of other kinds. */
import { jsonWriter, type KeyMode } from '@millhand/api'
import { TaskSchema } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { type Accelerator, accelerators } from '@millhand/model'
import type { TaskKind } from '@millhand/task'
import type { TaskRecord } from './task.ts'
import { toMessage } from './task-message.ts'

const writeTask = jsonWriter(TaskSchema)

/** Where tasks over many inputs wait: they take long, and tasks of one input need not wait behind them. */
export const batchPoolOf = (mode: KeyMode): string => `${mode}/batch`

/** Where tasks that generate text wait. The sandbox has one runner for models of any form. */
export const TEXT_POOL = 'live/text'

/** Where tasks that train wait: what runs them is another engine than that of inference. */
export const trainingPoolOf = (mode: KeyMode): string => `${mode}/training`

/** Where tasks wait for executors that have what they ask for: a claim gets none that it can't run. */
export const acceleratedPoolOf = (mode: KeyMode, provider: Accelerator, isBatch: boolean): string =>
  isBatch ? `${batchPoolOf(mode)}-${provider}` : `${mode}/${provider}`

export const computeTask: TaskKind<TaskRecord> = {
  idPrefix: 'task',
  eventPrefix: 'task.',
  topic: 'millhand.tasks.v1',
  write: (task, output) => writeTask(toMessage(task, { output })),
  poolOf: mode => `${mode}/onnx`,
  otherPoolsOf: mode => [
    batchPoolOf(mode),
    trainingPoolOf(mode),
    ...(mode === 'live' ? [TEXT_POOL] : []),
    ...accelerators.flatMap(provider => [
      acceleratedPoolOf(mode, provider, false),
      acceleratedPoolOf(mode, provider, true),
    ]),
  ],
  inputsAt: 'inputs/',
}
