/** A run in numbers. */
import type { Seen } from './clients.ts'
import type { Message, Topic } from './deduplication.ts'
import type { Injected } from './fault-injection.ts'
import type { Final } from './history-checks.ts'
import type { Fault } from './schedule.ts'

/** A fault as it was done. */
export interface Moment extends Injected {
  readonly fault: Fault
  /** Until a task succeeded that was created after the fault began, and after it was over; in milliseconds. */
  readonly beganMs?: number
  readonly backMs?: number
}

export interface Figures {
  readonly tasks: number
  readonly faults: number
  readonly seconds: { readonly load: number; readonly settle: number; readonly all: number }
  readonly ended: Readonly<Record<string, number>>
  readonly unanswered: number
  readonly looks: number
  readonly cancels: number
  readonly events: number
  /** Events that came again, and those of them that were not around a fault. */
  readonly repeats: number
  readonly repeatsElsewhere: number
  /** Runs that were lost with their lease, or given back. */
  readonly retries: number
  /** Results that executors were told to be stale. */
  readonly refused: number
  /** What came of each fault. */
  readonly aftermath: readonly Aftermath[]
  /** From the kill of an executor until the last task that it may have held was queued again, in milliseconds. */
  readonly leasesBackMs: readonly number[]
}

interface Aftermath {
  readonly fault: string
  readonly place: string
  /** Milliseconds until a new task succeeded; none for faults that went on in the background. */
  readonly afterBeginMs?: number
  readonly afterEndMs?: number
  /** Events that came again between its beginning and that of the next fault. */
  readonly repeats: number
  /** Whether no other fault was on. */
  readonly alone: boolean
}

interface Evidence {
  readonly seen: Seen
  readonly finals: readonly Final[]
  readonly topic: Topic
  readonly messages: readonly Message[]
  readonly moments: readonly Moment[]
  readonly refused: number
  readonly loadMs: number
  readonly settleMs: number
  readonly allMs: number
}

/** How long after a fault an event may come again because of it: a producer's patience, and a relay's death. */
const AFTERMATH_MS = 5_000

export function figuresOf({ seen, finals, topic, messages, moments, refused, ...times }: Evidence): Figures {
  const seconds = (ms: number) => Math.round(ms / 100) / 10
  const ended = Object.fromEntries([...Map.groupBy(finals, task => task.status)].map(([k, { length }]) => [k, length]))
  const isAround = (takenAt: number) => {
    const at = takenAt - performance.timeOrigin
    return moments.some(({ began, over }) => began <= at && at <= over + AFTERMATH_MS)
  }
  return {
    tasks: seen.acknowledged.length,
    faults: moments.length,
    seconds: { load: seconds(times.loadMs), settle: seconds(times.settleMs), all: seconds(times.allMs) },
    ended,
    unanswered: seen.unanswered,
    looks: seen.looks.length,
    cancels: seen.cancellations.length,
    events: topic.events.length,
    repeats: topic.repeats.length,
    repeatsElsewhere: topic.repeats.filter(({ takenAt }) => !isAround(takenAt)).length,
    retries: topic.events.filter(({ type }) => type === 'task.retrying').length,
    refused,
    aftermath: moments.map(moment => aftermathOf(moment, moments, topic.repeats)),
    leasesBackMs: moments
      .filter(moment => moment.fault.kind === 'kill' && moment.place.startsWith('executor') && isAlone(moment, moments))
      .map(moment => leasesBackMs(moment.began, messages))
      .filter(ms => ms !== undefined),
  }
}

function aftermathOf(moment: Moment, moments: readonly Moment[], repeats: readonly Message[]): Aftermath {
  const { fault, place, began, beganMs, backMs } = moment
  const next = Math.min(...moments.map(other => other.began).filter(other => other > began))
  const isDuring = (takenAt: number) =>
    began <= takenAt - performance.timeOrigin && takenAt - performance.timeOrigin < next
  return {
    fault: fault.kind,
    place,
    ...(beganMs !== undefined && { afterBeginMs: Math.round(beganMs) }),
    ...(backMs !== undefined && { afterEndMs: Math.round(backMs) }),
    repeats: repeats.filter(({ takenAt }) => isDuring(takenAt)).length,
    alone: isAlone(moment, moments),
  }
}

/** No other fault was on until it was got over; those before had been. */
function isAlone(moment: Moment, moments: readonly Moment[]): boolean {
  const until = moment.over + (moment.backMs ?? 0)
  return moments.every(other => other === moment || other.over < moment.began || other.began > until)
}

/**
 * Milliseconds from the kill of an executor, by `performance.now()`, until the last task was queued again that ran then
 * and had no other word of it; infinite while one of them has not been. Undefined when there was none.
 */
export function leasesBackMs(killedAt: number, messages: readonly Message[]): number | undefined {
  const killed = killedAt + performance.timeOrigin
  const waits: number[] = []
  for (const life of Map.groupBy(messages, ({ event }) => event.task).values()) {
    const at = life.findLastIndex(({ takenAt }) => takenAt <= killed)
    const next = life[at + 1]
    if (life[at]?.event.type !== 'task.started') continue
    if (next === undefined) waits.push(Number.POSITIVE_INFINITY)
    else if (next.event.type === 'task.retrying') waits.push(Math.round(next.takenAt - killed))
  }
  return waits.length === 0 ? undefined : Math.max(...waits)
}
