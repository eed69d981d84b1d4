/** The event of a change of a task's state, ready for the log. */

import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { jsonWriter, modeOfWord } from '@millhand/api'
import { TaskSchema } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { EventSchema } from '@millhand/api/gen/millhand/event/v1/event_pb.ts'
import type { OutboxEvent } from '@millhand/store'
import { hasEnded, type TaskRecord, type TaskStatus } from './task.ts'
import { toMessage } from './to-message.ts'

const tasksTopic = 'millhand.tasks.v1'

/** An event carries an output up to this size, in bytes of UTF-8. Contract, section 9. */
const outputInEventBytes = 64 * 1024

const writeTask = jsonWriter(TaskSchema)
const writeEvent = jsonWriter(EventSchema)

/** The event of `after`, where it differs in state from `before`; an insert has no `before`. */
export function taskEvents(
  before: TaskRecord | undefined,
  after: TaskRecord,
  now: number,
  newId: () => string,
): OutboxEvent[] {
  if (before?.resource_version === after.resource_version) return []
  const id = newId()
  const type = eventType(after.status, before === undefined)
  const output = hasEnded(after) ? after.output : undefined
  const fits = output === undefined || Buffer.byteLength(output) <= outputInEventBytes
  const isOmitted = !fits || after.output_file !== undefined
  const value = writeEvent({
    $typeName: 'millhand.event.v1.Event',
    id,
    type,
    createdAt: timestampFromMs(now),
    accountId: after.account_id,
    mode: modeOfWord(after.mode),
    resourceVersion: after.resource_version,
    data: {
      $typeName: 'millhand.event.v1.EventData',
      object: writeTask(toMessage(after, { output: fits ? output : undefined })),
      ...(isOmitted && { outputOmitted: true }),
    },
    ...(after.request_id !== undefined && { requestId: after.request_id }),
  })
  return [{ topic: tasksTopic, key: after.id, id, type, time: now, value }]
}

/** What a change to `status` is called; `isFirst` where it made the task. */
export function eventType(status: TaskStatus, isFirst: boolean): string {
  if (status === 'running') return 'task.started'
  if (status === 'queued' && !isFirst) return 'task.retrying'
  return `task.${status}`
}
