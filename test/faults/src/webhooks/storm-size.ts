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
  /** How long an owner may be silent, in seconds. */
  readonly ownerLeaseS?: number
  /** The 99th percentile of the time until a healthy endpoint has an event, at most: where it is left out, any. */
  readonly deliveredP99Ms?: number
}

/** A store that stands still again and again: nothing dies, and nothing may be lost, doubled or late for that. */
const stalls = (pauseMs: Strength['pauseMs'], gapMs: Strength['gapMs'], count: number): Strength => ({
  kills: { 'webhook owner': 0, 'other webhook': 0, kafka: 0, mongo: 0 },
  pauses: { 'webhook owner': 0, kafka: 0, mongo: count },
  pauseMs,
  holds: 0,
  gapMs,
})

const stalling = {
  events: 4_500,
  accounts: 4,
  eventsPerSecond: 75,
  mostFailures: 1,
  deliveredWithinMs: 60_000,
  deliveredP99Ms: 10_000,
  ownerLeaseS: 10,
}

export const sizes = {
  /** For every run of the tests. */
  small: {
    events: 1_500,
    accounts: 4,
    eventsPerSecond: 100,
    mostFailures: 1,
    deliveredWithinMs: 600_000,
    strength: {
      kills: { 'webhook owner': 2, 'other webhook': 1, kafka: 1, mongo: 1 },
      pauses: { 'webhook owner': 1, kafka: 0, mongo: 0 },
      pauseMs: [6_000, 8_000],
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
      pauseMs: [6_000, 8_000],
      holds: 4,
      gapMs: [2_000, 8_000],
    },
  },
  /** For every run of the tests: a few stalls. */
  someStalls: {
    events: 600,
    accounts: 2,
    eventsPerSecond: 60,
    mostFailures: 0,
    deliveredWithinMs: 600_000,
    ownerLeaseS: 10,
    strength: stalls([1_600, 1_600], [2_400, 2_400], 3),
  },
  /** 1.6 s in every 4 s. */
  evenStalls: { ...stalling, strength: stalls([1_600, 1_600], [2_400, 2_400], 12) },
  /** At random. */
  oddStalls: { ...stalling, strength: stalls([500, 2_400], [500, 4_000], 12) },
} as const satisfies Record<string, Size>
