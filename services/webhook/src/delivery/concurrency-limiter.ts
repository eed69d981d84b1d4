/**
 * How many posts an endpoint gets at once, so that a slow or dead one delays no other. It is memory of the owner: who
 * takes over learns it anew, post by post.
 *
 * Whoever is not known answers to one post at a time, twice as many after each success. After a failure it is one again,
 * after a pause that doubles with each further one. Those that are new, and those that are slow or give no answer, have
 * only a part of all slots each (`kind`): a thousand dead ones leave the others room. What counts for that is how long
 * they hold a slot, not what they answer.
 */
import type { Clock, Timer } from '@millhand/process'

/** How a post went. */
export interface PostOutcome {
  readonly failed: boolean
  /** Whether an answer, of whatever status, came within a second. Undefined where that says nothing of the endpoint. */
  readonly swift: boolean | undefined
}

type Kind = 'new' | 'swift' | 'slow'

export interface ConcurrencyLimiter {
  /** How many posts to the endpoint there may be now. */
  limit(endpoint: string): number
  /** `swift` where its last post was, `slow` where it was not, `new` where nothing is known of it. */
  kind(endpoint: string): Kind
  /** It failed the last time, under an owner of before: perhaps swiftly, which nobody knows. */
  failing(endpoint: string): void
  /** A post has ended. `beganAt` is by the monotonic clock. */
  ended(endpoint: string, outcome: PostOutcome, beganAt: number): void
  /** Forgets everything. */
  clear(): void
}

const MAX_AT_ONCE = 16
const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 4_000
/** Endpoints that are remembered: those of the latest posts. */
const REMEMBERED = 50_000

interface EndpointState {
  limit: number
  kind: Kind
  /** The last pause, 0 after a success. */
  pauseMs: number
  /** By the monotonic clock. */
  failedAt: number
  timer: Timer | undefined
}

/** `onMore` hears when a pause is over. */
export function createConcurrencyLimiter(clock: Clock, onMore: (endpoint: string) => void): ConcurrencyLimiter {
  const states = new Map<string, EndpointState>()

  const take = (endpoint: string): EndpointState => {
    const known = states.get(endpoint)
    states.delete(endpoint) // It goes to the end.
    return known ?? { limit: 1, kind: 'new', pauseMs: 0, failedAt: Number.NEGATIVE_INFINITY, timer: undefined }
  }

  const keep = (endpoint: string, state: EndpointState) => {
    states.set(endpoint, state)
    if (states.size > REMEMBERED) for (const [oldest] of states) return forget(oldest)
  }

  const forget = (endpoint: string) => {
    const state = states.get(endpoint)
    states.delete(endpoint)
    state?.timer?.cancel()
    if (state?.timer) onMore(endpoint)
  }

  const pause = (endpoint: string, state: EndpointState) => {
    state.pauseMs = Math.min(Math.max(state.pauseMs * 2, FIRST_PAUSE_MS), LONGEST_PAUSE_MS)
    state.timer?.cancel()
    state.timer = clock.timer(state.pauseMs, () => {
      state.timer = undefined
      onMore(endpoint)
    })
  }

  return {
    limit(endpoint) {
      const state = states.get(endpoint)
      if (!state) return 1
      return state.timer ? 0 : state.limit
    },
    kind(endpoint) {
      return states.get(endpoint)?.kind ?? 'new'
    },
    failing(endpoint) {
      keep(endpoint, { ...take(endpoint), kind: 'slow' })
    },
    ended(endpoint, { failed, swift }, beganAt) {
      const state = take(endpoint)
      if (swift !== undefined) state.kind = swift ? 'swift' : 'slow'
      if (!failed) {
        state.limit = Math.min(state.limit * 2, MAX_AT_ONCE)
        state.pauseMs = 0
      } else {
        state.limit = 1
        // What was under way together fails together: that is one failure.
        if (beganAt >= state.failedAt) pause(endpoint, state)
        state.failedAt = clock.monotonic()
      }
      keep(endpoint, state)
    },
    clear() {
      for (const { timer } of states.values()) timer?.cancel()
      states.clear()
    },
  }
}
