/** The event of a change of a task's state, ready for the log. */
import { publicEvent } from '@millhand/api'
import type { OutboxEvent } from '@millhand/store'
import { hasEnded, type TaskBase } from './task.ts'
import type { TaskKind } from './task-kind.ts'
import type { TaskStatus } from './task-status.ts'

/** An event carries an output up to this size, in bytes of UTF-8. Contract, section 9. */
const outputInEventBytes = 64 * 1024

/** The event of `after`, where it differs in state from `before`; an insert has no `before`. */
export function taskEvents<T extends TaskBase>(
  { topic, eventPrefix, write }: Pick<TaskKind<T>, 'topic' | 'eventPrefix' | 'write'>,
  before: T | undefined,
  after: T,
  now: number,
  newId: () => string,
): OutboxEvent[] {
  if (before?.resource_version === after.resource_version) return []
  const output = hasEnded(after) ? after.output : undefined
  const fits = output === undefined || Buffer.byteLength(output) <= outputInEventBytes
  const isOmitted = !fits || after.output_file !== undefined
  const event = publicEvent({
    topic,
    key: after.id,
    id: newId(),
    type: eventType(eventPrefix, after.status, before === undefined),
    time: now,
    accountId: after.account_id,
    mode: after.mode,
    resourceVersion: after.resource_version,
    object: write(after, fits ? output : undefined),
    outputUrl: isOmitted ? outputUrl(after) : undefined,
    requestId: after.request_id,
    traceparent: after.traceparent,
  })
  return [event]
}

/** The short form of tasks is that of every kind. */
const outputUrl = ({ id, output_file }: TaskBase): string =>
  output_file === undefined ? `/v1/tasks/${id}` : `/v1/files/${output_file}/content`

/** What a change to `status` is called; `isFirst` where it made the task. */
export function eventType(prefix: string, status: TaskStatus, isFirst: boolean): string {
  if (status === 'running') return `${prefix}started`
  if (status === 'queued' && !isFirst) return `${prefix}retrying`
  return prefix + status
}
