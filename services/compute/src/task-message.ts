/** A stored task as the contract shows it. */
import { type Task, TaskPriority, TaskType } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { type TaskParts, taskMessage } from '@millhand/task'
import { modelOf, type TaskRecord } from './task.ts'

const types = {
  inference: TaskType.INFERENCE,
  training: TaskType.TRAINING,
  batch: TaskType.BATCH,
  custom: TaskType.CUSTOM,
} as const
const priorities = [TaskPriority.HIGH, TaskPriority.NORMAL, TaskPriority.LOW] as const

/** The public task: what its record has, and `parts`, which may lie elsewhere. */
export function toMessage(task: TaskRecord, parts: TaskParts = {}): Task {
  const message = taskMessage<Task>(
    {
      $typeName: 'millhand.compute.v1.Task',
      type: types[task.type],
      model: modelOf(task),
      modelVersion: task.model_version,
      priority: priorities[task.priority ?? task.rank] ?? TaskPriority.NORMAL,
      queueTimeoutS: task.queue_timeout_s,
      runTimeoutS: task.run_timeout_s,
    },
    task,
    parts.position,
  )
  if (parts.input !== undefined) message.input = parts.input
  if (parts.output !== undefined) message.output = parts.output
  if (task.input_file !== undefined) message.inputFile = task.input_file
  if (task.batch_id !== undefined) message.batchId = task.batch_id
  if (task.parameters) message.parameters = task.parameters as NonNullable<Task['parameters']>
  if (task.usage) message.usage = usageMessage(task.usage)
  if (task.engine) message.engine = { $typeName: 'millhand.compute.v1.Engine', ...task.engine }
  return message
}

const usageMessage = (usage: NonNullable<TaskRecord['usage']>): NonNullable<Task['usage']> => ({
  $typeName: 'millhand.compute.v1.TaskUsage',
  queueMs: usage.queue_ms,
  computeMs: usage.compute_ms,
  gpuType: usage.gpu_type,
  items: usage.items,
  ...(usage.input_tokens !== undefined && { inputTokens: usage.input_tokens }),
  ...(usage.output_tokens !== undefined && { outputTokens: usage.output_tokens }),
  ...(usage.instance_id !== undefined && { instanceId: usage.instance_id }),
})
