/** What streams and webhooks told, held against the log. */
import type { Received } from '@millhand/test-e2e/receiver'
import type { Logged } from '../history-checks.ts'
import type { Heard } from './stream-visitors.ts'

/** What streams told is what the log has of that task, in that order. */
export function streamFaults(heard: readonly Heard[], events: readonly Logged[]): string[] {
  const eventsOf = Map.groupBy(events, ({ task }) => task)
  return heard.flatMap(({ task, events: told }) => {
    const types = told.map(({ type }) => type)
    const log = (eventsOf.get(task) ?? []).map(({ type }) => type).slice(0, types.length)
    return log.join() === types.join() ? [] : [`${task}: its stream told ${types}, the log has ${log}`]
  })
}

/** Each event that a webhook told is in the log. */
export function webhookFaults(received: readonly Received[], events: readonly Logged[]): string[] {
  const logged = new Map(events.map(({ id, task, type }) => [id, `${task} ${type}`]))
  return received.flatMap(({ body }) => {
    const what = `${body.data.object.id} ${body.type}`
    return logged.get(body.id) === what ? [] : [`${body.id} was told as ${what}, in the log is ${logged.get(body.id)}`]
  })
}
