/** The message of a task, or of an event of its stream: what is the same for tasks of any kind. */

import type { DescMessage, MessageShape } from '@bufbuild/protobuf'
import type { Timestamp } from '@bufbuild/protobuf/wkt'
import { decimalOf, modeOfWord } from '@millhand/api'
import type { Task, TaskCallback, TaskError, TaskProgress } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { TaskStatus } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import type { TaskEvent } from '@millhand/api/gen/millhand/compute/v1/task_stream_pb.ts'
import type { Money } from '@millhand/api/gen/millhand/type/v1/money_pb.ts'
import type { Failure } from '@millhand/lease'
import type { Callback } from './callback.ts'
import type { Progress } from './stream/emission.ts'
import type { StreamItem } from './stream/read-stream.ts'
import { hasEnded, queueExpiresAt, runsBegun, type TaskBase } from './task.ts'

/** What a message shows of a task that its record may not have, or that is not always shown. */
export interface TaskParts {
  readonly input?: string | undefined
  /** JSON text. */
  readonly output?: string | undefined
  /** About how many tasks run before this one. */
  readonly position?: number | undefined
}

/** The public task of a kind. Throws where a part is not what was stored. */
export type ToMessage<T extends TaskBase, M> = (task: T, parts?: TaskParts) => M

/** The fields that the messages of all kinds have. */
type TaskBaseMessage = Pick<
  Task,
  | 'id'
  | 'status'
  | 'mode'
  | 'attempt'
  | 'maxAttempts'
  | 'metadata'
  | 'createdAt'
  | 'resourceVersion'
  | 'position'
  | 'outputFile'
  | 'callback'
  | 'error'
  | 'cost'
  | 'progress'
  | 'startedAt'
  | 'finishedAt'
  | 'dataExpiresAt'
  | 'cancelRequestedAt'
  | 'queueExpiresAt'
>

/**
 * Completes the message of a task, of which `own` has the fields of its kind, and returns it. Written out field by field
 * instead of through `create`, and without spreads: every request passes here twice.
 */
export function taskMessage<M extends TaskBaseMessage>(
  own: Omit<M, keyof TaskBaseMessage>,
  task: TaskBase,
  position: number | undefined,
): M {
  const message = own as unknown as TaskBaseMessage
  message.id = task.id
  message.status = statuses[task.status]
  message.mode = modeOfWord(task.mode)
  message.attempt = runsBegun(task)
  message.maxAttempts = task.max_attempts
  message.metadata = task.metadata as Record<string, string>
  message.createdAt = timestamp(task.created_at)
  message.resourceVersion = task.resource_version
  if (position !== undefined) message.position = position
  if (task.output_file !== undefined) message.outputFile = task.output_file
  if (task.callback) message.callback = callbackMessage(task.callback)
  if (task.error) message.error = errorMessage(task.error)
  if (task.cost_micros !== undefined) message.cost = moneyMessage(task.cost_micros)
  if (task.progress) message.progress = progressMessage(task.progress)
  if (task.started_at !== undefined) message.startedAt = timestamp(task.started_at)
  if (task.finished_at !== undefined) message.finishedAt = timestamp(task.finished_at)
  if (task.data_expires_at !== undefined) message.dataExpiresAt = timestamp(task.data_expires_at)
  if (task.cancel_requested_at !== undefined) message.cancelRequestedAt = timestamp(task.cancel_requested_at)
  if (task.status === 'queued' && runsBegun(task) === 0) message.queueExpiresAt = timestamp(queueExpiresAt(task))
  return message as M
}

/** The event of a stream. The last one has the task without its input: the reader sent it, and there may be many readers. */
export function eventMessage<T extends TaskBase, E extends DescMessage>(
  desc: E,
  { task, sequence, type, at, entry, emission }: StreamItem<T>,
  toMessage: ToMessage<T, unknown>,
): MessageShape<E> & { readonly sequence: bigint } {
  const event: Omit<TaskEvent, '$typeName' | 'task'> & { $typeName: string; task?: unknown } = {
    $typeName: desc.typeName,
    sequence: BigInt(sequence),
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
  return event as unknown as MessageShape<E> & { readonly sequence: bigint }
}

/** The parts of the message of a task that are the same for tasks of any kind. */
const statuses = {
  queued: TaskStatus.QUEUED,
  running: TaskStatus.RUNNING,
  cancelling: TaskStatus.CANCELLING,
  succeeded: TaskStatus.SUCCEEDED,
  failed: TaskStatus.FAILED,
  cancelled: TaskStatus.CANCELLED,
  expired: TaskStatus.EXPIRED,
} as const

const callbackMessage = ({ url, events }: Callback): TaskCallback => ({
  $typeName: 'millhand.compute.v1.TaskCallback',
  url,
  events: events as string[],
})

const errorMessage = ({ code, message, retryable }: Failure): TaskError => ({
  $typeName: 'millhand.compute.v1.TaskError',
  code,
  message,
  retryable,
})

const progressMessage = ({ fraction, message, metrics = {} }: Progress): TaskProgress => ({
  $typeName: 'millhand.compute.v1.TaskProgress',
  fraction,
  ...(message !== undefined && { message }),
  metrics,
})

/** Of millionths of a dollar. */
export const moneyMessage = (micros: number): Money => ({
  $typeName: 'millhand.type.v1.Money',
  amount: decimalOf(micros),
  currency: 'USD',
})

/** Of milliseconds since 1970. */
const timestamp = (ms: number): Timestamp => ({
  $typeName: 'google.protobuf.Timestamp',
  seconds: BigInt(Math.floor(ms / 1000)),
  nanos: (ms % 1000) * 1_000_000,
})
