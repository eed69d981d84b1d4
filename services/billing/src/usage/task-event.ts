/** The event of a task's end, as billing reads it: nothing else of the event matters here. Of compute's tasks, and of the workforce's. */
import { microsOf } from '@millhand/api'
import type { LoggedEvent } from '@millhand/eventlog'
import type { Draft } from '@millhand/store'
import { isCount, type Json, object, text, time } from './event-fields.ts'
import { type EntryRecord, endings } from './usage-entry.ts'

/** Undefined for an event of a task that goes on. @throws TypeError for one of which nobody can tell what has ended, and when */
export type EntryOf = (event: LoggedEvent) => ReadEntry | undefined

interface ReadEntry {
  readonly entry: Draft<EntryRecord>
  /** Quantities that can't be read. They count for nothing, the task itself is counted. */
  readonly unreadable: readonly string[]
}

export const computeEntry: EntryOf = event =>
  entryOf('task.', event, (task, usage, count) => ({
    model: text(task.model),
    type: text(task.type),
    gpu_type: usage === undefined ? 'none' : text(usage.gpu_type),
    items: count('items', usage?.items),
    ...(usage?.instance_id !== undefined && { instance: text(usage.instance_id) }),
  }))

/** Its model is who did it and what: `emma/answer_ticket`. */
export const workforceEntry: EntryOf = event =>
  entryOf('workforce.task.', event, task => ({
    model: `${text(task.employee)}/${text(task.task)}`,
    type: text(task.engine),
    gpu_type: 'none',
    items: 1,
  }))

type Own = Pick<EntryRecord, 'model' | 'type' | 'gpu_type' | 'items' | 'instance'>

function entryOf(
  prefix: string,
  { id, type, value }: LoggedEvent,
  ownOf: (task: Json, usage: Json | undefined, count: Count) => Own,
): ReadEntry | undefined {
  const ending = endings.find(ending => type === prefix + ending)
  if (ending === undefined) return undefined
  const event: Json = JSON.parse(value)
  const task = object(object(event.data).object)
  const usage = task.usage === undefined ? undefined : object(task.usage)
  const unreadable: string[] = []
  const count: Count = (name, value) => {
    if (value === undefined) return 0
    if (isCount(value)) return value
    unreadable.push(name)
    return 0
  }
  const entry = {
    tenant: `${text(event.account_id)}/${text(event.mode)}`,
    id: text(task.id),
    event_id: id,
    finished_at: time(task.finished_at),
    ending,
    compute_ms: count('compute_ms', usage?.compute_ms),
    input_tokens: count('input_tokens', usage?.input_tokens),
    output_tokens: count('output_tokens', usage?.output_tokens),
    cost_micros: count('cost', costOf(task.cost)),
    ...ownOf(task, usage, count),
  }
  return { entry, unreadable }
}

/** In millionths of a dollar; null for what is no amount of dollars. */
function costOf(cost: unknown): number | null | undefined {
  if (cost === undefined) return undefined
  const { amount, currency } = object(cost)
  try {
    return currency === 'USD' ? microsOf(text(amount)) : null
  } catch {
    return null
  }
}

/** A quantity of that name. */
type Count = (name: string, value: unknown) => number
