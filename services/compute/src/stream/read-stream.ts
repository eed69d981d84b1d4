/** A task's stream for one reader: what the store has of it, and then what comes. docs/decisions/task-streams.md. */
import type { TaskEvent } from '@millhand/api/gen/millhand/compute/v1/task_stream_pb.ts'
import { ownerChanges } from '@millhand/lease'
import type { ComputeDeps } from '../compute.ts'
import { eventType } from '../events.ts'
import { hasEnded, type TaskRecord } from '../task.ts'
import { foundTask } from '../task-lookup.ts'
import { progressMessage, timestamp, toMessage } from '../to-message.ts'
import type { Emission } from './emission.ts'
import type { EmissionsRecord, TaskRef } from './emissions.ts'
import type { HistoryEntry } from './history.ts'
import { placeOf } from './place.ts'

export interface StreamDeps extends Pick<ComputeDeps, 'emissions' | 'watch' | 'inputs' | 'position'> {
  readonly tasks: Pick<ComputeDeps['tasks'], 'get'>
}

/**
 * What happens to the task after a place, until its end. While nothing happens it holds no task and no timer. Fails
 * with `unavailable` when the signal ends, and when changes are heard elsewhere.
 */
export async function* readStream(
  deps: StreamDeps,
  { tenant, id }: TaskRef,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<TaskEvent> {
  const following = deps.watch.follow(id)
  const end = () => following.settle()
  signal.addEventListener('abort', end, { once: true })
  try {
    following.tell(foundTask(id, await deps.tasks.get(tenant, id)))
    let place = after
    for (let isOver = false; !isOver; ) {
      let task = signal.aborted ? undefined : await following.next()
      if (!task) throw ownerChanges()
      for await (const event of eventsAfter(deps, task, place)) {
        if (signal.aborted) throw ownerChanges() // However much there is still to be read.
        yield event
        place = Number(event.sequence)
      }
      isOver = hasEnded(task)
      task = undefined // A generator that waits keeps what its variables have.
    }
  } finally {
    signal.removeEventListener('abort', end)
    following.settle()
  }
}

/** Everything after a place that the task's history has so far. */
async function* eventsAfter(deps: StreamDeps, task: TaskRecord, after: number): AsyncGenerator<TaskEvent> {
  for (const entry of task.history) {
    const place = placeOf(entry.version)
    if (place > after) yield changeEvent(task, entry)
    const from = Math.max(place, after)
    const last = placeOf(entry.version, entry.emitted)
    if (from >= last) continue
    for await (const batch of deps.emissions.read(task, from, last)) yield* emissionEvents(task, entry, batch, from)
  }
}

/** The end has the task without its input: who reads has sent that, and many may read. */
function changeEvent(task: TaskRecord, entry: HistoryEntry): TaskEvent {
  const event = eventOf(task, entry, placeOf(entry.version), eventType(entry.status, entry.version === 1), entry.at)
  if (entry.error) event.error = { $typeName: 'millhand.compute.v1.TaskError', ...entry.error, retryable: true }
  if (hasEnded(entry)) event.task = toMessage(task, { output: task.output })
  return event
}

function* emissionEvents(
  task: TaskRecord,
  run: HistoryEntry,
  { first, at, emissions }: EmissionsRecord,
  after: number,
) {
  for (const [n, emission] of emissions.entries()) {
    if (first + n > after) yield emissionEvent(eventOf(task, run, first + n, '', at), emission)
  }
}

function emissionEvent(event: TaskEvent, emission: Emission): TaskEvent {
  if ('output' in emission) return { ...event, type: 'task.output', output: emission.output }
  if ('log' in emission) return { ...event, type: 'task.log', log: emission.log }
  return { ...event, type: 'task.progress', progress: progressMessage(emission.progress) }
}

const eventOf = ({ id }: TaskRef, { attempt }: HistoryEntry, place: number, type: string, at: number): TaskEvent => ({
  $typeName: 'millhand.compute.v1.TaskEvent',
  sequence: BigInt(place),
  type,
  taskId: id,
  attempt,
  createdAt: timestamp(at),
})
