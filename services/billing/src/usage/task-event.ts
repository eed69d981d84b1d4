/** The event of a task's end, as billing reads it: nothing else of the event matters here. Of compute's tasks, and of the workforce's. */
import { microsOf } from '@millhand/api'
import type { LoggedEvent } from '@millhand/eventlog'
import type { Draft } from '@millhand/store'
import { type EntryRecord, endings } from './entry.ts'

/** Undefined for an event of a task that goes on. @throws TypeError for one that can't be read */
export type EntryOf = (event: LoggedEvent) => Draft<EntryRecord> | undefined

export const computeEntry: EntryOf = event =>
  entryOf('task.', event, (task, usage) => ({
    model: text(task.model),
    type: text(task.type),
    gpu_type: usage === undefined ? 'none' : text(usage.gpu_type),
    items: count(usage?.items),
  }))

/** Its model is who did it and what: `emma/answer_ticket`. */
export const workforceEntry: EntryOf = event =>
  entryOf('workforce.task.', event, task => ({
    model: `${text(task.employee)}/${text(task.task)}`,
    type: text(task.engine),
    gpu_type: 'none',
    items: 1,
  }))

type Own = Pick<EntryRecord, 'model' | 'type' | 'gpu_type' | 'items'>

function entryOf(
  prefix: string,
  { type, value }: LoggedEvent,
  ownOf: (task: Json, usage: Json | undefined) => Own,
): Draft<EntryRecord> | undefined {
  const ending = endings.find(ending => type === prefix + ending)
  if (ending === undefined) return undefined
  const event: Json = JSON.parse(value)
  const task = object(object(event.data).object)
  const usage = task.usage === undefined ? undefined : object(task.usage)
  const cost = task.cost === undefined ? undefined : object(task.cost)
  if (cost !== undefined && cost.currency !== 'USD') throw new TypeError(`a cost in ${cost.currency}`)
  return {
    tenant: `${text(event.account_id)}/${text(event.mode)}`,
    id: text(task.id),
    finished_at: time(task.finished_at),
    ending,
    compute_ms: count(usage?.compute_ms),
    input_tokens: count(usage?.input_tokens),
    output_tokens: count(usage?.output_tokens),
    cost_micros: cost === undefined ? 0 : microsOf(text(cost.amount)),
    ...ownOf(task, usage),
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
