/** Who is told of one task, beside the account's webhooks: the webhook service reads it off the task's events. */
import type { Fault, KeyMode } from '@millhand/api'
import { eventTypes, patternFaults } from '@millhand/eventlog/event-types'

export interface Callback {
  readonly url: string
  /** Types of events, or `task.*`; none for those of the task's end. */
  readonly events: readonly string[]
}

/** What is wrong with an address before anything is dialled, in words that follow its name; undefined if nothing. */
export type TargetFault = (url: string, mode: KeyMode) => string | undefined

/** What stands against a callback in a request for a task whose events' types have this prefix. */
export function callbackFaults(
  callback: Callback | undefined,
  mode: KeyMode,
  targetFault: TargetFault,
  eventPrefix: string,
): Fault[] {
  if (callback === undefined) return []
  const param = 'callback.url'
  const fault = targetFault(callback.url, mode)
  const misfit = fault === undefined ? [] : [{ param, code: 'not_allowed', message: `\`${param}\` ${fault}.` }]
  const types = eventTypes.filter(type => type.startsWith(eventPrefix))
  return [...misfit, ...patternFaults('callback.events', callback.events, types)]
}
