/** A stored task as the contract shows it. */
import type { Timestamp } from '@bufbuild/protobuf/wkt'
import { type Task, TaskPriority, TaskStatus, TaskType } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { Mode } from '@millhand/api/gen/millhand/type/v1/mode_pb.ts'
import { queueExpiresAt, type TaskRecord } from './task.ts'

const statuses = {
  queued: TaskStatus.QUEUED,
  running: TaskStatus.RUNNING,
  cancelling: TaskStatus.CANCELLING,
  succeeded: TaskStatus.SUCCEEDED,
  failed: TaskStatus.FAILED,
  cancelled: TaskStatus.CANCELLED,
  expired: TaskStatus.EXPIRED,
} as const

const priorities = [TaskPriority.HIGH, TaskPriority.NORMAL, TaskPriority.LOW] as const

export interface Shown {
  /** The input, where it is to be shown: it may lie outside the record. */
  readonly input?: string | undefined
  readonly output?: string | undefined
  readonly position?: number | undefined
}

/** Written out field by field instead of through `create`: this is on the path of every request. */
export function toMessage(task: TaskRecord, shown: Shown = {}): Task {
  return {
    $typeName: 'millhand.compute.v1.Task',
    id: task.id,
    type: TaskType.INFERENCE,
    model: task.group,
    modelVersion: task.model_version,
    status: statuses[task.status],
    mode: task.mode === 'live' ? Mode.LIVE : Mode.TEST,
    ...(shown.input !== undefined && { input: shown.input }),
    ...(task.parameters && { parameters: task.parameters as NonNullable<Task['parameters']> }),
    priority: priorities[task.rank] ?? TaskPriority.NORMAL,
    queueTimeoutS: task.queue_timeout_s,
    runTimeoutS: task.run_timeout_s,
    maxAttempts: task.max_attempts,
    ...(shown.output !== undefined && { output: shown.output }),
    ...(task.error && { error: { $typeName: 'millhand.compute.v1.TaskError', ...task.error } }),
    ...(task.usage && {
      usage: {
        $typeName: 'millhand.compute.v1.TaskUsage',
        queueMs: task.usage.queue_ms,
        computeMs: task.usage.compute_ms,
        gpuType: task.usage.gpu_type,
        items: task.usage.items,
      },
    }),
    ...(task.cost_micros !== undefined && {
      cost: { $typeName: 'millhand.type.v1.Money', amount: decimal(task.cost_micros), currency: 'USD' },
    }),
    attempt: task.attempt,
    ...(task.progress && { progress: { $typeName: 'millhand.compute.v1.TaskProgress', ...task.progress, metrics: {} } }),
    ...(shown.position !== undefined && { position: shown.position }),
    metadata: task.metadata as Record<string, string>,
    createdAt: timestamp(task.created_at),
    ...(task.started_at !== undefined && { startedAt: timestamp(task.started_at) }),
    ...(task.finished_at !== undefined && { finishedAt: timestamp(task.finished_at) }),
    ...(task.status === 'queued' && task.attempt === 0 && { queueExpiresAt: timestamp(queueExpiresAt(task)) }),
    ...(task.data_expires_at !== undefined && { dataExpiresAt: timestamp(task.data_expires_at) }),
    ...(task.cancel_requested_at !== undefined && { cancelRequestedAt: timestamp(task.cancel_requested_at) }),
    ...(task.engine && { engine: { $typeName: 'millhand.compute.v1.Engine', ...task.engine } }),
    resourceVersion: task.resource_version,
  }
}

const timestamp = (ms: number): Timestamp => ({
  $typeName: 'google.protobuf.Timestamp',
  seconds: BigInt(Math.floor(ms / 1000)),
  nanos: (ms % 1000) * 1_000_000,
})

/** Millionths as a decimal with six places. */
function decimal(micros: number): string {
  const digits = String(micros).padStart(7, '0')
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`
}
