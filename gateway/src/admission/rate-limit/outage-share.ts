/** What passes at one gateway while the owner of the rate windows can't be reached: docs/decisions/admission.md. */
import { type SlidingWindow, WINDOW_MS } from '@millhand/rate'
import type { RateDecision } from './limiter.ts'

/** A time in which the owner can't be reached. */
export interface Outage {
  /** By the monotonic clock. */
  readonly since: number
  /** The number of gateways by the owner's last answer. */
  readonly gateways: number
}

/**
 * The requests of a window that may pass without the owner: for a minute as many as passed here before, or this gateway's
 * part of the plan where that is more; then that part.
 */
export class OutageShare {
  /** Requests that this gateway let pass, without the owner and with it. */
  readonly #passed: SlidingWindow
  /** How many had passed when the outage began, and which outage that is. */
  #passedBefore = 0
  #outage: Outage | undefined

  constructor(passed: SlidingWindow) {
    this.#passed = passed
  }

  /** Counts a request where there is room for it. One that is heavier than the share has to have all of it. */
  take(weight: number, limit: number, now: number, outage: Outage): RateDecision {
    const count = this.#passed.countAt(now)
    const share = this.#at(limit, now, outage)
    const passes = count + Math.min(weight, share) <= share
    if (passes) this.#passed.add(now, weight)
    const held = passes ? count + weight : count
    const nextMs = this.#passed.leavesIn(Math.max(0, held - share), now)
    const taken = { passes, remaining: Math.max(0, share - held), nextMs }
    return passes || weight === 1 ? taken : { ...taken, roomMs: WINDOW_MS }
  }

  /** Whether no other of that weight would pass. */
  isUsed(weight: number, limit: number, now: number, outage: Outage): boolean {
    const share = this.#at(limit, now, outage)
    return this.#passed.countAt(now) + Math.min(weight, share) > share
  }

  #at(limit: number, now: number, outage: Outage): number {
    if (this.#outage !== outage) {
      this.#outage = outage
      this.#passedBefore = this.#passed.countAt(now)
    }
    const part = Math.max(1, Math.floor(limit / outage.gateways))
    return now - outage.since < WINDOW_MS ? Math.max(this.#passedBefore, part) : part
  }
}
