/** A stored task, and what its stream tells, as the contract shows them. */
import type { JsonObject } from '@bufbuild/protobuf'
import { modeOfWord } from '@millhand/api'
import type { CancelOutcome } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import type { WorkforceTask, WorkforceTaskCancellation } from '@millhand/api/gen/millhand/workforce/v1/task_pb.ts'
import type { WorkforceTaskEvent } from '@millhand/api/gen/millhand/workforce/v1/task_stream_pb.ts'
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
import type { KeptBrief } from './employee.ts'
import { readBrief } from './kept-brief.ts'
import { engineKinds, outputMessage, usageMessage } from './output.ts'
import type { TaskRecord } from './task.ts'

export interface Shown {
  /** The brief, where it is to be shown: it may lie outside the record. */
  readonly brief?: string | undefined
  readonly output?: string | undefined
  readonly position?: number | undefined
}

/** The public task: what its record has, and `shown`, which may lie elsewhere. Throws where that is not what was kept. */
export function toMessage(task: TaskRecord, shown: Shown = {}): WorkforceTask {
  const message: WorkforceTask = {
    $typeName: 'millhand.workforce.v1.WorkforceTask',
    id: task.id,
    employee: task.employee,
    task: task.task,
    status: statuses[task.status],
    mode: modeOfWord(task.mode),
    engine: engineKinds[task.engine],
    files: task.files.map(({ id }) => id),
    timeoutS: task.run_timeout_s,
    attempt: runsBegun(task),
    maxAttempts: task.max_attempts,
    metadata: task.metadata as Record<string, string>,
    createdAt: timestamp(task.created_at),
    resourceVersion: task.resource_version,
  }
  if (shown.brief !== undefined) showBrief(message, readBrief(shown.brief))
  if (shown.output !== undefined) message.output = outputMessage(shown.output, task.usage)
  if (task.output_file !== undefined) message.outputFile = task.output_file
  if (shown.position !== undefined) message.position = shown.position
  if (task.max_cost_micros !== undefined) message.maxCost = moneyMessage(task.max_cost_micros)
  if (task.callback) message.callback = callbackMessage(task.callback)
  if (task.error) message.error = errorMessage(task.error)
  if (task.usage) message.usage = usageMessage(task.usage)
  if (task.cost_micros !== undefined) message.cost = moneyMessage(task.cost_micros)
  if (task.progress) message.progress = progressMessage(task.progress)
  if (task.started_at !== undefined) message.startedAt = timestamp(task.started_at)
  if (task.finished_at !== undefined) message.finishedAt = timestamp(task.finished_at)
  if (task.data_expires_at !== undefined) message.dataExpiresAt = timestamp(task.data_expires_at)
  if (task.cancel_requested_at !== undefined) message.cancelRequestedAt = timestamp(task.cancel_requested_at)
  if (task.status === 'queued' && runsBegun(task) === 0) message.queueExpiresAt = timestamp(queueExpiresAt(task))
  return message
}

function showBrief(message: WorkforceTask, brief: KeptBrief): void {
  const { topic, tone, input, language, audience, constraints, seed } = brief
  if (topic !== '') message.topic = topic
  if (tone !== '') message.tone = tone
  if (language !== undefined) message.language = language
  if (audience !== undefined) message.audience = audience
  message.input = input as JsonObject
  message.seed = seed
  const { min_words, max_words, must_include = [], avoid = [] } = constraints
  message.constraints = {
    $typeName: 'millhand.workforce.v1.Constraints',
    ...(min_words !== undefined && { minWords: min_words }),
    ...(max_words !== undefined && { maxWords: max_words }),
    mustInclude: [...must_include],
    avoid: [...avoid],
  }
}

/** What became of a request to cancel, and the task after it. */
export const cancellation = (outcome: CancelOutcome, task: WorkforceTask): WorkforceTaskCancellation => ({
  $typeName: 'millhand.workforce.v1.WorkforceTaskCancellation',
  id: task.id,
  outcome,
  task,
})

/** The end has the task without its brief: who reads has sent that, and many may read. */
export function eventMessage({ task, place, type, at, entry, emission }: Told<TaskRecord>): WorkforceTaskEvent {
  const event: WorkforceTaskEvent = {
    $typeName: 'millhand.workforce.v1.WorkforceTaskEvent',
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
