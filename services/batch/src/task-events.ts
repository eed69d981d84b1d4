/** Events of tasks, read as changes of the items of batches. */
import { type Id, parseId } from '@millhand/api'
import type { LoggedEvent } from '@millhand/eventlog'
import { type Log, traceIds } from '@millhand/telemetry'
import { idPrefixes, itemKinds } from './item-kind.ts'
import type { ItemState } from './item-state.ts'
import { indexOfTask } from './task-ids.ts'

interface BatchNews {
  readonly tenant: string
  readonly id: Id<'batch'>
  readonly changes: Map<number, ItemState>
}

const states: ReadonlySet<string> = new Set([
  'queued',
  'running',
  'cancelling',
  'succeeded',
  'failed',
  'cancelled',
  'expired',
] satisfies ItemState[])

/** The latest state of each task in the events, by batch. An event that can't be read is logged and skipped. */
export function newsOf(events: readonly LoggedEvent[], log: Log): readonly BatchNews[] {
  const news = new Map<string, BatchNews>()
  for (const event of events) {
    // Most tasks are of no batch, and need not be parsed. With its first quote it would take ten times as long to look for.
    if (!event.value.includes('batch_id":')) continue
    try {
      const read = readEvent(event.value)
      if (read === undefined) continue
      const { tenant, id, index, state } = read
      const key = `${tenant}/${id}`
      const known = news.get(key) ?? { tenant, id, changes: new Map() }
      news.set(key, known)
      known.changes.set(index, state)
    } catch (error) {
      log.error('batch.event_unreadable', {
        event_id: event.id,
        task_id: event.key,
        ...traceIds(event.traceparent),
        error,
      })
    }
  }
  return [...news.values()]
}

function readEvent(value: string) {
  const { account_id, mode, data } = JSON.parse(value)
  const { id: task, batch_id, status } = data.object
  const id = typeof batch_id === 'string' ? parseId('batch', batch_id) : undefined
  if (id === undefined || !states.has(status)) return undefined
  const index = itemKinds.map(kind => indexOfTask(idPrefixes[kind], id, task)).find(at => at !== undefined)
  return index === undefined ? undefined : { tenant: `${account_id}/${mode}`, id, index, state: status as ItemState }
}
