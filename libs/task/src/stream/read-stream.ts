/** A task's stream for one reader: what the store has of it, and then what comes. docs/decisions/task-streams.md. */
import { ownerChanges, type WorkStore } from '@millhand/lease'
import { eventType } from '../events.ts'
import { foundTask } from '../found-task.ts'
import type { TaskKind } from '../kind.ts'
import { hasEnded, type TaskLife } from '../task.ts'
import type { TaskWatch } from '../watch.ts'
import type { Emission } from './emission.ts'
import type { Emissions, EmissionsRecord, TaskRef } from './emissions.ts'
import type { HistoryEntry } from './history.ts'
import { placeOf } from './place.ts'

export interface StreamDeps<T extends TaskLife> {
  readonly tasks: Pick<WorkStore<T, never>, 'get'>
  readonly emissions: Pick<Emissions, 'read'>
  readonly watch: TaskWatch<T>
  readonly kind: Pick<TaskKind<T>, 'eventPrefix'>
}

/** One thing that a stream tells: a change of state, or what a run emitted. */
export interface Told<T extends TaskLife> {
  /** As it is now: later than what is told, where that is read again. */
  readonly task: T
  readonly place: number
  readonly type: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** The change, or the one that began the run. */
  readonly entry: HistoryEntry
  readonly emission?: Emission
}

/**
 * What happens to the task after a place, until its end. While nothing happens it holds no task and no timer. Fails
 * with `unavailable` when the signal ends, and when changes are heard elsewhere.
 */
export async function* readStream<T extends TaskLife, E extends { readonly sequence: bigint }>(
  deps: StreamDeps<T>,
  { tenant, id }: TaskRef,
  after: number,
  signal: AbortSignal,
  toEvent: (told: Told<T>) => E,
): AsyncGenerator<E> {
  const following = deps.watch.follow(id)
  const end = () => following.settle()
  signal.addEventListener('abort', end, { once: true })
  try {
    following.tell(foundTask(id, await deps.tasks.get(tenant, id)))
    let place = after
    for (let isOver = false; !isOver; ) {
      let task = signal.aborted ? undefined : await following.next()
      if (!task) throw ownerChanges()
      for await (const event of eventsAfter(deps, task, place, toEvent)) {
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
async function* eventsAfter<T extends TaskLife, E>(
  { emissions, kind: { eventPrefix } }: StreamDeps<T>,
  task: T,
  after: number,
  toEvent: (told: Told<T>) => E,
): AsyncGenerator<E> {
  for (const entry of task.history) {
    const { version, status, at } = entry
    const place = placeOf(version)
    if (place > after) yield toEvent({ task, place, type: eventType(eventPrefix, status, version === 1), at, entry })
    const from = Math.max(place, after)
    const last = placeOf(version, entry.emitted)
    if (from >= last) continue
    for await (const batch of emissions.read(task, from, last)) {
      for (const told of emitted(eventPrefix, task, entry, batch, from)) yield toEvent(told)
    }
  }
}

function* emitted<T extends TaskLife>(
  prefix: string,
  task: T,
  entry: HistoryEntry,
  { first, at, emissions }: EmissionsRecord,
  after: number,
): Generator<Told<T>> {
  for (const [n, emission] of emissions.entries()) {
    const place = first + n
    if (place > after) yield { task, place, type: prefix + wordOf(emission), at, entry, emission }
  }
}

function wordOf(emission: Emission): string {
  if ('output' in emission) return 'output'
  return 'log' in emission ? 'log' : 'progress'
}
