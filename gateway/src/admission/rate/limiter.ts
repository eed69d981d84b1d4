/** The port of what counts requests. */
import type { RateWindow } from './window.ts'

export interface RateLimiter {
  /** Counts a request where its window has a place for it; at once where that is known here. Never rejects. */
  take(window: RateWindow): Taken | Promise<Taken>
  /** Whether it is known here that a window has no place. Counts nothing. */
  isFull(window: RateWindow): boolean
}

/** What became of a request, and how its window is now. */
export interface Taken {
  readonly passes: boolean
  /** How many more requests would pass now. */
  readonly remaining: number
  /** Milliseconds until it is one more, where none is sent until then. */
  readonly nextMs: number
}
