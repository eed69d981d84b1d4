/** Which faults a storm on webhooks has, in which order: all of it from the seed. */
import type { Random } from '../random.ts'
import { type Fault, shuffled } from '../schedule.ts'

export interface Step {
  /** Milliseconds between the end of the fault before and this one. */
  readonly afterMs: number
  readonly fault: Fault
}

export interface Strength {
  /** How often each is killed. */
  readonly kills: Readonly<Record<Victim, number>>
  /** How often each stands still for some seconds. */
  readonly pauses: Readonly<Record<'webhook owner' | 'kafka' | 'mongo', number>>
  /** How long, the shortest and the longest, in milliseconds. */
  readonly pauseMs: readonly [number, number]
  /** How often the owner's way to the broker or the database is held. */
  readonly holds: number
  /** The pauses between faults, the shortest and the longest. */
  readonly gapMs: readonly [number, number]
}

type Victim = 'webhook owner' | 'other webhook' | 'kafka' | 'mongo'

export function schedule({ kills, pauses, pauseMs, holds, gapMs }: Strength, random: Random): Step[] {
  const { between } = random
  const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at))
  const faults: Fault[] = [
    ...named(kills).flatMap(([target, count]) =>
      times(count, () => ({ kind: 'kill', target, ms: between(0, 1) * between(100, 2_500) }) as const),
    ),
    ...named(pauses).flatMap(([target, count]) =>
      times(count, () => ({ kind: 'pause', target, ms: between(...pauseMs) }) as const),
    ),
    ...times(
      holds,
      at =>
        ({
          kind: 'hold',
          link: `webhook owner>${at % 2 === 0 ? 'mongo' : 'kafka'}`,
          ms: between(2_000, 5_000),
        }) as const,
    ),
  ]
  return shuffled(faults, random).map(fault => ({ afterMs: between(...gapMs), fault }))
}

const named = <K extends string>(counts: Readonly<Record<K, number>>) => Object.entries(counts) as [K, number][]
