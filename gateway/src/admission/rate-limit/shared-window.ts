/** One rate window of a gateway that shares it with others. */
import type { WindowAnswer } from '@millhand/api/gen/millhand/identity/v1/rate_service_pb.ts'
import { SlidingWindow, WINDOW_MS } from '@millhand/rate'
import type { RateDecision } from './limiter.ts'
import { type Outage, OutageShare } from './outage-share.ts'

/** The part of one call that is about one window, until the call is answered. */
export interface PermitRequest {
  readonly window: SharedWindow
  /** By the monotonic clock. */
  readonly at: number
  /** Requests that wait for the answer. */
  waiters: readonly Waiter[]
  readonly limit: number
  readonly ahead: number
  readonly returned: number
  /** Requests that passed without the owner, which it hears of. */
  readonly told: SlidingWindow | undefined
  /** How many permits the requests used that passed without the answer, and since when. */
  passedByShare: number
  sharedAt: number
}

interface Waiter {
  /** How many permits it needs. */
  readonly weight: number
  answer(taken: RateDecision): void
}

/** A permit in advance is used within so many milliseconds of its call, or returned. */
const HOLD_MS = 1_000

export class SharedWindow {
  readonly name: string
  /** Requests in any 60 seconds, as the latest request has it. */
  limit = 1
  /** Requests that this gateway let pass. */
  readonly #passed = new SlidingWindow()
  /** Those of them that the owner has not heard of. */
  #unreported: SlidingWindow | undefined
  #waiters: Waiter[] = []
  #isAsked = false
  /** Permits in advance. */
  #held = 0
  #heldUntil = 0
  /** How many there were at first, and how many to ask for next: an estimate of the use in a second. */
  #given = 0
  #wanted = 1
  /** Permits to return. */
  #returned = 0
  /** How many more would pass, of the limit that the owner was asked for; of 0 before it was. */
  #remaining = 0
  #remainingOf = 0
  /** When it is one more, at the earliest and at the latest. */
  #freeFrom = 0
  #freeBy = 0
  /** What passes during an outage. */
  readonly #share = new OutageShare(this.#passed)

  constructor(name: string) {
    this.name = name
  }

  isIdle(now: number): boolean {
    const isKnownFull = now < this.#freeFrom
    return !isKnownFull && !this.#isAsked && this.#held === 0 && !this.hasNews && this.#passed.countAt(now) === 0
  }

  /** Whether the next call to the owner has to include this window. */
  get hasNews(): boolean {
    return this.#waiters.length > 0 || this.#returned > 0 || this.#unreported !== undefined
  }

  /** Whether it has permits in advance; returns those that are too old. */
  holdsAt(now: number): boolean {
    if (this.#held > 0 && now >= this.#heldUntil) this.#returnPermits()
    return this.#held > 0
  }

  /** The decision where it is known without the owner. */
  takeKnown(weight: number, now: number): RateDecision | undefined {
    if (this.holdsAt(now) && this.#held >= weight) {
      this.#held -= weight
      this.#passed.add(now, weight)
      this.#remaining = Math.max(0, this.#remaining - weight)
      return this.#taken(true, weight, now)
    }
    return this.isKnownFull(weight, now) ? this.#taken(false, weight, now) : undefined
  }

  /** Whether neither its own permits nor the owner's have room for `weight`. */
  isKnownFull(weight: number, now: number): boolean {
    if (this.holdsAt(now) && this.#held >= weight) return false
    return this.#remaining < weight && this.#remainingOf === this.limit && now < this.#freeFrom
  }

  /** Waits for the owner's answer. */
  wait(weight: number): Promise<RateDecision> {
    return new Promise(resolve => this.#waiters.push({ weight, answer: resolve }))
  }

  /** The part of the next call that is about this window. */
  ask(now: number): PermitRequest {
    const { limit } = this
    if (this.#held > 0) this.#returnPermits()
    const waiters = this.#waiters
    const ask: PermitRequest = {
      window: this,
      at: now,
      waiters,
      limit,
      ahead: waiters.length > 0 ? this.#wanted : 0,
      returned: this.#returned,
      told: this.#unreported,
      passedByShare: 0,
      sharedAt: now,
    }
    // What it will get is used up, for all that is known; what is not, is seen when it is given back.
    if (waiters.length > 0) this.#wanted = Math.min(this.#wanted * 2, limit)
    this.#waiters = []
    this.#returned = 0
    this.#unreported = undefined
    this.#isAsked = true
    return ask
  }

  /** Takes the permits of an answer. */
  settle(ask: PermitRequest, { granted, ahead, remaining, nextFreeMs, freeByMs }: WindowAnswer, now: number): void {
    this.#isAsked = false
    this.#remaining = remaining
    this.#remainingOf = ask.limit
    this.#freeFrom = ask.at + nextFreeMs
    this.#freeBy = now + freeByMs
    this.#held = ahead
    this.#given = ahead
    this.#heldUntil = ask.at + HOLD_MS
    let left = granted
    for (const { weight, answer } of ask.waiters) {
      const passes = weight <= left
      if (passes) {
        left -= weight
        this.#passed.add(now, weight)
      }
      answer(this.#taken(passes, weight, now))
    }
    // Too few for a request that needs several.
    this.#returned += left
  }

  /** Returns the permits of an answer that came too late. */
  settleLate(ask: PermitRequest, { granted, ahead }: WindowAnswer): void {
    this.#isAsked = false
    // These permits cover the requests that passed without an answer.
    const used = Math.min(granted, ask.passedByShare)
    this.#unreported?.remove(ask.sharedAt, used)
    this.#returned += granted - used + ahead
  }

  /** The owner did not handle the request: the next call has it again. */
  askAgain(ask: PermitRequest): void {
    this.#isAsked = false
    this.#waiters = [...ask.waiters, ...this.#waiters]
  }

  /** Answers the requests of a call without the owner, as far as the share goes. */
  answerByShare(ask: PermitRequest, now: number, outage: Outage): void {
    ask.sharedAt = now
    for (const { weight, answer } of ask.waiters) {
      const taken = this.takeShare(weight, now, outage)
      if (taken.passes) ask.passedByShare += weight
      answer(taken)
    }
    ask.waiters = []
  }

  /** The same for requests that wait for the next call. */
  answerWaitersByShare(now: number, outage: Outage): void {
    for (const { weight, answer } of this.#waiters) answer(this.takeShare(weight, now, outage))
    this.#waiters = []
  }

  /** Lets a request pass without the owner, as far as the share goes. */
  takeShare(weight: number, now: number, outage: Outage): RateDecision {
    const taken = this.#share.take(weight, this.limit, now, outage)
    if (taken.passes) {
      this.#unreported ??= new SlidingWindow()
      this.#unreported.add(now, weight)
    }
    return taken
  }

  /** Whether no other of that weight would pass without the owner. */
  isShareUsed(weight: number, now: number, outage: Outage): boolean {
    return this.#share.isUsed(weight, this.limit, now, outage)
  }

  /** Has a new owner hear of all requests that passed here; returns whether there are any. */
  reportAll(now: number): boolean {
    this.#returned = 0
    this.#held = 0
    this.#unreported = undefined
    if (this.#passed.countAt(now) === 0) return false
    this.#unreported = new SlidingWindow()
    this.#unreported.addAll(this.#passed)
    return true
  }

  #returnPermits() {
    this.#wanted = Math.max(1, this.#given - this.#held)
    this.#returned += this.#held
    this.#held = 0
  }

  /** When there is room for several is not known here; all that counts now has left the window after its length. */
  #taken(passes: boolean, weight: number, now: number): RateDecision {
    const taken = { passes, remaining: this.#remaining, nextMs: Math.max(0, this.#freeBy - now) }
    return passes || weight === 1 ? taken : { ...taken, roomMs: WINDOW_MS }
  }
}
