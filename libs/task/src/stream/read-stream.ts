/** A task's stream for one reader: what the store has of it, and then what comes. docs/decisions/task-streams.md. */
import { ownerUnavailable, type WorkStore } from '@millhand/lease'
import { eventType } from '../events.ts'
import { requireTask } from '../require-task.ts'
import { hasEnded, type TaskBase } from '../task.ts'
import type { TaskKind } from '../task-kind.ts'
import type { TaskWatch } from '../task-watch.ts'
import type { Emission } from './emission.ts'
import type { Emissions, EmissionsRecord, TaskRef } from './emissions.ts'
import type { HistoryEntry } from './history.ts'
import { sequenceOf } from './sequence.ts'

export interface StreamDeps<T extends TaskBase> {
  readonly tasks: Pick<WorkStore<T, never>, 'get'>
  readonly emissions: Pick<Emissions, 'read'>
  readonly watch: TaskWatch<T>
  readonly kind: Pick<TaskKind<T>, 'eventPrefix'>
}

/** One thing that a stream tells: a change of state, or what a run emitted. */
export interface StreamItem<T extends TaskBase> {
  /** As it is now: later than what is told, where that is read again. */
  readonly task: T
  readonly sequence: number
  readonly type: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** The change, or the one that began the run. */
  readonly entry: HistoryEntry
  readonly emission?: Emission
}

/**
 * What happens to the task after a sequence number, until its end. While nothing happens it holds no task and no timer. Fails
 * with `unavailable` when the signal ends, and when changes are heard elsewhere.
 */
export async function* readStream<T extends TaskBase, E extends { readonly sequence: bigint }>(
  deps: StreamDeps<T>,
  { tenant, id }: TaskRef,
  after: number,
  signal: AbortSignal,
  toEvent: (told: StreamItem<T>) => E,
): AsyncGenerator<E> {
  const subscription = deps.watch.subscribe(id)
  const end = () => subscription.settle()
  signal.addEventListener('abort', end, { once: true })
  try {
    subscription.tell(requireTask(id, await deps.tasks.get(tenant, id)))
    let sequence = after
    for (let isOver = false; !isOver; ) {
      let task = signal.aborted ? undefined : await subscription.next()
      if (!task) throw ownerUnavailable()
      for await (const event of eventsAfter(deps, task, sequence, toEvent)) {
        if (signal.aborted) throw ownerUnavailable() // However much there is still to be read.
        yield event
        sequence = Number(event.sequence)
      }
      isOver = hasEnded(task)
      task = undefined // A generator that waits keeps what its variables have.
    }
  } finally {
    signal.removeEventListener('abort', end)
    subscription.settle()
  }
}

/** Everything after a sequence number that the task's history has so far. */
async function* eventsAfter<T extends TaskBase, E>(
  { emissions, kind: { eventPrefix } }: StreamDeps<T>,
  task: T,
  after: number,
  toEvent: (told: StreamItem<T>) => E,
): AsyncGenerator<E> {
  for (const entry of task.history) {
    const { version, status, at } = entry
    const sequence = sequenceOf(version)
    if (sequence > after)
      yield toEvent({ task, sequence, type: eventType(eventPrefix, status, version === 1), at, entry })
    const from = Math.max(sequence, after)
    const last = sequenceOf(version, entry.emitted)
    if (from >= last) continue
    for await (const batch of emissions.read(task, from, last)) {
      for (const told of emissionItems(eventPrefix, task, entry, batch, from)) yield toEvent(told)
    }
  }
}

function* emissionItems<T extends TaskBase>(
  prefix: string,
  task: T,
  entry: HistoryEntry,
  { first, at, emissions }: EmissionsRecord,
  after: number,
): Generator<StreamItem<T>> {
  for (const [n, emission] of emissions.entries()) {
    const sequence = first + n
    if (sequence > after) yield { task, sequence, type: prefix + wordOf(emission), at, entry, emission }
  }
}

function wordOf(emission: Emission): string {
  if ('output' in emission) return 'output'
  return 'log' in emission ? 'log' : 'progress'
}
