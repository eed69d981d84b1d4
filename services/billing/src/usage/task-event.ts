/** The event of a task's end, as billing reads it: nothing else of the event matters here. */
import { microsOf } from '@millhand/api'
import type { LoggedEvent } from '@millhand/eventlog'
import type { Draft } from '@millhand/store'
import { type EntryRecord, endings } from './entry.ts'

/** Undefined for an event of a task that goes on. @throws TypeError for one that can't be read */
export function entryOf({ type, value }: LoggedEvent): Draft<EntryRecord> | undefined {
  const ending = endings.find(ending => type === `task.${ending}`)
  if (ending === undefined) return undefined
  const event: Json = JSON.parse(value)
  const task = object(object(event.data).object)
  const usage = task.usage === undefined ? {} : object(task.usage)
  const cost = task.cost === undefined ? undefined : object(task.cost)
  if (cost !== undefined && cost.currency !== 'USD') throw new TypeError(`a cost in ${cost.currency}`)
  return {
    tenant: `${text(event.account_id)}/${text(event.mode)}`,
    id: text(task.id),
    finished_at: time(task.finished_at),
    model: text(task.model),
    type: text(task.type),
    gpu_type: task.usage === undefined ? 'none' : text(usage.gpu_type),
    ending,
    compute_ms: count(usage.compute_ms),
    input_tokens: count(usage.input_tokens),
    output_tokens: count(usage.output_tokens),
    items: count(usage.items),
    cost_micros: cost === undefined ? 0 : microsOf(text(cost.amount)),
  }
}

type Json = Readonly<Record<string, unknown>>

function object(value: unknown): Json {
  if (typeof value !== 'object' || value === null) throw new TypeError('an object is missing')
  return value as Json
}

function text(value: unknown): string {
  if (typeof value !== 'string' || value === '') throw new TypeError('a text is missing')
  return value
}

function count(value: unknown): number {
  if (value === undefined) return 0
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw new TypeError('a number is none')
  return value
}

function time(value: unknown): number {
  const ms = Date.parse(text(value))
  if (Number.isNaN(ms)) throw new TypeError('a time is none')
  return ms
}
