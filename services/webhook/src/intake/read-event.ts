/** What the intake reads of an event. The event itself goes on as the text that it is. */
import { parseId } from '@millhand/api'
import type { LoggedEvent } from '@millhand/eventlog'
import type { NewEvent } from '../archive/archiver.ts'

export interface ReadEvent {
  readonly event: NewEvent
  readonly callback?: Callback
}

/** Who else is told of an object: its own callback, of events of these types. */
export interface Callback {
  readonly url: string
  readonly events: readonly string[]
}

/**
 * Throws where it is none of ours: then nothing can be made of it. What it lets through can be shown: one event that can't
 * would take every list with it.
 */
export function readEvent({ id, key, type, time, value, traceparent }: LoggedEvent): ReadEvent {
  const said = record(parsed(value), 'the event')
  const { account_id, mode, resource_version } = said
  const object = record(record(said.data, '`data`').object, '`data.object`')
  if (parseId('evt', id) === undefined || said.id !== id) throw new Error('its id is no event’s, or another one inside')
  if (said.type !== type) throw new Error('its type is another one inside')
  if (typeof account_id !== 'string' || !ACCOUNT.test(account_id)) throw new Error('it names no account')
  if (mode !== 'live' && mode !== 'test') throw new Error('it is neither live nor test')
  if (!isBetween(resource_version, 2 ** 32 - 1)) throw new Error('its `resource_version` is no count')
  if (!isBetween(time, LAST_MS)) throw new Error('it happened at no time that can be written')
  const tenant = `${account_id}/${mode}`
  const traced = traceparent === undefined ? {} : { traceparent }
  const event = { tenant, id, type, resource_id: key, created_at: time, value, ...traced }
  const callback = object.callback === undefined ? undefined : readCallback(object.callback)
  return { event, ...(callback && { callback }) }
}

/** The service that made the object has checked it; what is none is passed over. */
function readCallback(said: unknown): Callback | undefined {
  if (typeof said !== 'object' || said === null) return
  const { url, events = [] } = said as Record<string, unknown>
  if (typeof url !== 'string' || !Array.isArray(events)) return
  return { url, events: events.filter(pattern => typeof pattern === 'string') }
}

/** Without what JSON.parse says: that quotes the text, which belongs to an account. */
function parsed(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    throw new Error('it is no JSON')
  }
}

const isBetween = (value: unknown, most: number): boolean =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= most

const ACCOUNT = /^\w+$/
/** The end of the year 9999. */
const LAST_MS = 253_402_300_799_999

function record(value: unknown, name: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new Error(`${name} is no object`)
}
