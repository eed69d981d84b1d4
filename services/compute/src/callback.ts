/** Who is told of one task, beside the account's webhooks: the webhook service reads it off the task's events. */
import type { Fault, KeyMode } from '@millhand/api'
import type { TaskCallback } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { eventTypes, patternFaults } from '@millhand/eventlog/event-types'

export interface Callback {
  readonly url: string
  /** Types of events, `task.*`; none for those of the task's end. */
  readonly events: readonly string[]
}

/** What is wrong with an address before anything is dialled, in words that follow its name; undefined if nothing. */
export type TargetFault = (url: string, mode: KeyMode) => string | undefined

/** What stands against a callback in a request. */
export function callbackFaults(callback: TaskCallback | undefined, mode: KeyMode, targetFault: TargetFault): Fault[] {
  if (callback === undefined) return []
  const param = 'callback.url'
  const fault = targetFault(callback.url, mode)
  const misfit = fault === undefined ? [] : [{ param, code: 'not_allowed', message: `\`${param}\` ${fault}.` }]
  return [...misfit, ...patternFaults('callback.events', callback.events, taskTypes)]
}

const taskTypes = eventTypes.filter(type => type.startsWith('task.'))
