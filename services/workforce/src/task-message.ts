/** A stored task as the contract shows it. */
import type { JsonObject } from '@bufbuild/protobuf'
import type { WorkforceTask } from '@millhand/api/gen/millhand/workforce/v1/task_pb.ts'
import { moneyMessage, type TaskParts, taskMessage } from '@millhand/task'
import { readBrief } from './brief.ts'
import type { KeptBrief } from './employee.ts'
import { engineKinds, outputMessage, usageMessage } from './output.ts'
import type { TaskRecord } from './task.ts'

/** The public task: what its record has, and `parts`, which may lie elsewhere. Throws where a part is not what was stored. */
export function toMessage(task: TaskRecord, parts: TaskParts = {}): WorkforceTask {
  const message = taskMessage<WorkforceTask>(
    {
      $typeName: 'millhand.workforce.v1.WorkforceTask',
      employee: task.employee,
      task: task.task,
      engine: engineKinds[task.engine],
      files: task.files.map(({ id }) => id),
      timeoutS: task.run_timeout_s,
    },
    task,
    parts.position,
  )
  if (parts.input !== undefined) showBrief(message, readBrief(parts.input))
  if (parts.output !== undefined) message.output = outputMessage(parts.output, task.usage)
  if (task.max_cost_micros !== undefined) message.maxCost = moneyMessage(task.max_cost_micros)
  if (task.batch_id !== undefined) message.batchId = task.batch_id
  if (task.usage) message.usage = usageMessage(task.usage)
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
