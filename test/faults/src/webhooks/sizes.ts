/** How large a storm on webhooks is. */
import type { Strength } from './schedule.ts'

export interface Size {
  readonly events: number
  /** How much of them, from 0 to 1, comes before times are taken: processes that have just started compile what they run. */
  readonly warmUp?: number
  /** Each is two tenants, with five endpoints each. */
  readonly accounts: number
  /** At most, for what the faults leave. */
  readonly eventsPerSecond: number
  /** How often a flaky endpoint fails for one event: after the second time it is tried again after half a minute. */
  readonly mostFailures: number
  /** How soon after the last task has ended all must have come. */
  readonly deliveredWithinMs: number
  readonly strength: Strength
}

export const sizes = {
  /** For every run of the tests. */
  small: {
    events: 1_500,
    accounts: 4,
    eventsPerSecond: 100,
    mostFailures: 1,
    deliveredWithinMs: 150_000,
    strength: {
      kills: { 'webhook owner': 2, 'other webhook': 1, kafka: 1, mongo: 1 },
      pauses: { 'webhook owner': 1, kafka: 0, mongo: 0 },
      holds: 1,
      gapMs: [700, 1_800],
    },
  },
  /** "Must hold: Delivery". */
  whole: {
    events: 20_000,
    accounts: 20,
    eventsPerSecond: 200,
    mostFailures: 2,
    deliveredWithinMs: 180_000,
    strength: {
      kills: { 'webhook owner': 8, 'other webhook': 4, kafka: 4, mongo: 4 },
      pauses: { 'webhook owner': 2, kafka: 2, mongo: 2 },
      holds: 4,
      gapMs: [2_000, 8_000],
    },
  },
} as const satisfies Record<string, Size>
