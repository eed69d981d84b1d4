/** What is posted of an event. */
import { jsonMembers } from '../json-members.ts'

/**
 * The event's text as it was written, with `timestamp` for `created_at`, as Standard Webhooks has it: not read and
 * written again, which would change numbers. Undefined for what is not the text of an event.
 */
export function payloadOf(event: string): string | undefined {
  for (const { key } of jsonMembers(event)) {
    if (event.slice(key.start, key.end) !== '"created_at"') continue
    return `${event.slice(0, key.start)}"timestamp"${event.slice(key.end)}`
  }
  return undefined
}
