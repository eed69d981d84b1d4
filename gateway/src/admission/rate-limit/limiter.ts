/** The port of rate limiters. */
import type { RateWindow } from './window.ts'

export interface RateLimiter {
  /**
   * Counts a request where its window has room for it, as `weight` requests (1 where it is not set, at most the limit);
   * no promise where the decision needs no call. Never rejects.
   */
  take(window: RateWindow, weight?: number): RateDecision | Promise<RateDecision>
  /** Whether it is known here that a window has no room for so many. Counts nothing. */
  isFull(window: RateWindow, weight: number): boolean
}

/** Whether a request passes, and the state of its window. */
export interface RateDecision {
  readonly passes: boolean
  /** How many more requests would pass now. */
  readonly remaining: number
  /** Milliseconds until it is one more, where none is sent until then. */
  readonly nextMs: number
  /** Milliseconds until there is room for as many as were refused, where that is later. */
  readonly roomMs?: number
}
