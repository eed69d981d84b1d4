/** The parts of the message of a task that are the same for tasks of any kind. */
import type { Timestamp } from '@bufbuild/protobuf/wkt'
import { decimalOf } from '@millhand/api'
import {
  type TaskCallback,
  type TaskError,
  type TaskProgress,
  TaskStatus,
} from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import type { Money } from '@millhand/api/gen/millhand/type/v1/money_pb.ts'
import type { Failure } from '@millhand/lease'
import type { Callback } from './callback.ts'
import type { Progress } from './stream/emission.ts'

export const statuses = {
  queued: TaskStatus.QUEUED,
  running: TaskStatus.RUNNING,
  cancelling: TaskStatus.CANCELLING,
  succeeded: TaskStatus.SUCCEEDED,
  failed: TaskStatus.FAILED,
  cancelled: TaskStatus.CANCELLED,
  expired: TaskStatus.EXPIRED,
} as const

export const callbackMessage = ({ url, events }: Callback): TaskCallback => ({
  $typeName: 'millhand.compute.v1.TaskCallback',
  url,
  events: events as string[],
})

export const errorMessage = ({ code, message, retryable }: Failure): TaskError => ({
  $typeName: 'millhand.compute.v1.TaskError',
  code,
  message,
  retryable,
})

export const progressMessage = ({ fraction, message, metrics = {} }: Progress): TaskProgress => ({
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
export const timestamp = (ms: number): Timestamp => ({
  $typeName: 'google.protobuf.Timestamp',
  seconds: BigInt(Math.floor(ms / 1000)),
  nanos: (ms % 1000) * 1_000_000,
})
