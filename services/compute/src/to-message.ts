/** A stored task, and what its stream tells, as the contract shows them. */
import { modeOfWord } from '@millhand/api'
import {
  type CancelOutcome,
  type Task,
  type TaskCancellation,
  TaskPriority,
  TaskType,
} from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import type { TaskEvent } from '@millhand/api/gen/millhand/compute/v1/task_stream_pb.ts'
import {
  callbackMessage,
  errorMessage,
  hasEnded,
  moneyMessage,
  progressMessage,
  queueExpiresAt,
  runsBegun,
  statuses,
  type Told,
  timestamp,
} from '@millhand/task'
import type { TaskRecord } from './task.ts'

const priorities = [TaskPriority.HIGH, TaskPriority.NORMAL, TaskPriority.LOW] as const

export interface Shown {
  /** The input, where it is to be shown: it may lie outside the record. */
  readonly input?: string | undefined
  readonly output?: string | undefined
  readonly position?: number | undefined
}

/** Written out field by field instead of through `create`, and without spreads: every request passes here twice. */
export function toMessage(task: TaskRecord, shown: Shown = {}): Task {
  const message: Task = {
    $typeName: 'millhand.compute.v1.Task',
    id: task.id,
    type: TaskType.INFERENCE,
    model: task.group,
    modelVersion: task.model_version,
    status: statuses[task.status],
    mode: modeOfWord(task.mode),
    priority: priorities[task.rank] ?? TaskPriority.NORMAL,
    queueTimeoutS: task.queue_timeout_s,
    runTimeoutS: task.run_timeout_s,
    maxAttempts: task.max_attempts,
    attempt: runsBegun(task),
    metadata: task.metadata as Record<string, string>,
    createdAt: timestamp(task.created_at),
    resourceVersion: task.resource_version,
  }
  if (shown.input !== undefined) message.input = shown.input
  if (shown.output !== undefined) message.output = shown.output
  if (shown.position !== undefined) message.position = shown.position
  if (task.input_file !== undefined) message.inputFile = task.input_file
  if (task.output_file !== undefined) message.outputFile = task.output_file
  if (task.callback) message.callback = callbackMessage(task.callback)
  if (task.parameters) message.parameters = task.parameters as NonNullable<Task['parameters']>
  if (task.error) message.error = errorMessage(task.error)
  if (task.usage) message.usage = usageMessage(task.usage)
  if (task.cost_micros !== undefined) message.cost = moneyMessage(task.cost_micros)
  if (task.progress) message.progress = progressMessage(task.progress)
  if (task.engine) message.engine = { $typeName: 'millhand.compute.v1.Engine', ...task.engine }
  if (task.started_at !== undefined) message.startedAt = timestamp(task.started_at)
  if (task.finished_at !== undefined) message.finishedAt = timestamp(task.finished_at)
  if (task.data_expires_at !== undefined) message.dataExpiresAt = timestamp(task.data_expires_at)
  if (task.cancel_requested_at !== undefined) message.cancelRequestedAt = timestamp(task.cancel_requested_at)
  if (task.status === 'queued' && runsBegun(task) === 0) message.queueExpiresAt = timestamp(queueExpiresAt(task))
  return message
}

const usageMessage = (usage: NonNullable<TaskRecord['usage']>): NonNullable<Task['usage']> => ({
  $typeName: 'millhand.compute.v1.TaskUsage',
  queueMs: usage.queue_ms,
  computeMs: usage.compute_ms,
  gpuType: usage.gpu_type,
  items: usage.items,
})

/** What became of a request to cancel, and the task after it. */
export const cancellation = (outcome: CancelOutcome, task: Task): TaskCancellation => ({
  $typeName: 'millhand.compute.v1.TaskCancellation',
  id: task.id,
  outcome,
  task,
})

/** The end has the task without its input: who reads has sent that, and many may read. */
export function eventMessage({ task, place, type, at, entry, emission }: Told<TaskRecord>): TaskEvent {
  const event: TaskEvent = {
    $typeName: 'millhand.compute.v1.TaskEvent',
    sequence: BigInt(place),
    type,
    taskId: task.id,
    attempt: entry.attempt,
    createdAt: timestamp(at),
  }
  if (emission === undefined) {
    if (entry.error) event.error = errorMessage({ ...entry.error, retryable: true })
    if (hasEnded(entry)) event.task = toMessage(task, { output: task.output })
  } else if ('output' in emission) event.output = emission.output
  else if ('log' in emission) event.log = emission.log
  else event.progress = progressMessage(emission.progress)
  return event
}
