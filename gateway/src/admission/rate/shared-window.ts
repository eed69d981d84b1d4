/** One window, as a gateway sees it that shares it with others. */
import type { WindowAnswer } from '@millhand/api/gen/millhand/identity/v1/rate_service_pb.ts'
import { Ring, WINDOW_MS } from '@millhand/rate'
import type { Taken } from './limiter.ts'

/** A time in which the owner can't be asked. */
export interface Away {
  /** By the monotonic clock. */
  readonly since: number
  /** How many gateways there were when it was last heard of. */
  readonly gateways: number
}

/** What is asked in one call, until that is answered. */
export interface Ask {
  readonly window: SharedWindow
  /** By the monotonic clock. */
  readonly at: number
  /** Who waits for its answer. */
  waiters: readonly Waiter[]
  readonly limit: number
  readonly ahead: number
  readonly returned: number
  /** What the owner is told of. */
  readonly told: Ring | undefined
  /** How many places those have who were let pass without its answer, and since when. */
  passedByShare: number
  sharedAt: number
}

interface Waiter {
  /** How many places it needs. */
  readonly weight: number
  answer(taken: Taken): void
}

/** A place ahead is used within so many milliseconds of the question for it, or given back. */
const HOLD_MS = 1_000

export class SharedWindow {
  readonly name: string
  /** Requests in any 60 seconds, as the latest request has it. */
  limit = 1
  /** What this gateway let pass. */
  readonly #passed = new Ring()
  /** What of that the owner has not heard of. */
  #untold: Ring | undefined
  #waiters: Waiter[] = []
  #isAsked = false
  /** Places ahead. */
  #held = 0
  #heldUntil = 0
  /** How many there were at first, and how many to ask for: what may be used within a second, as it seems. */
  #given = 0
  #wanted = 1
  /** Those to give back. */
  #returned = 0
  /** How many more would pass, of the limit that the owner was asked for; of 0 before it was. */
  #remaining = 0
  #remainingOf = 0
  /** When it is one more, at the earliest and at the latest. */
  #freeFrom = 0
  #freeBy = 0
  /** What may pass here while the owner is away, and the time that this is for. */
  #share = 0
  #shareOf: Away | undefined

  constructor(name: string) {
    this.name = name
  }

  isIdle(now: number): boolean {
    const isKnownFull = now < this.#freeFrom
    return !isKnownFull && !this.#isAsked && this.#held === 0 && !this.hasToSay && this.#passed.countAt(now) === 0
  }

  /** Whether the owner is to be asked or told of something. */
  get hasToSay(): boolean {
    return this.#waiters.length > 0 || this.#returned > 0 || this.#untold !== undefined
  }

  /** Whether it holds places ahead; those that are too old are to be given back. */
  holdsAt(now: number): boolean {
    if (this.#held > 0 && now >= this.#heldUntil) this.#giveBack()
    return this.#held > 0
  }

  /** What is known without the owner: that there is a place, or that there is none yet. */
  takeKnown(weight: number, now: number): Taken | undefined {
    if (this.holdsAt(now) && this.#held >= weight) {
      this.#held -= weight
      this.#passed.add(now, weight)
      this.#remaining = Math.max(0, this.#remaining - weight)
      return this.#taken(true, weight, now)
    }
    return this.isKnownFull(weight, now) ? this.#taken(false, weight, now) : undefined
  }

  /** Whether there is no room for so many, of the places that it holds or that the owner has. */
  isKnownFull(weight: number, now: number): boolean {
    if (this.holdsAt(now) && this.#held >= weight) return false
    return this.#remaining < weight && this.#remainingOf === this.limit && now < this.#freeFrom
  }

  /** Waits for the owner's answer. */
  wait(weight: number): Promise<Taken> {
    return new Promise(resolve => this.#waiters.push({ weight, answer: resolve }))
  }

  /** What the owner is asked and told now. */
  ask(now: number): Ask {
    const { limit } = this
    if (this.#held > 0) this.#giveBack()
    const waiters = this.#waiters
    const ask: Ask = {
      window: this,
      at: now,
      waiters,
      limit,
      ahead: waiters.length > 0 ? this.#wanted : 0,
      returned: this.#returned,
      told: this.#untold,
      passedByShare: 0,
      sharedAt: now,
    }
    // What it will get is used up, for all that is known; what is not, is seen when it is given back.
    if (waiters.length > 0) this.#wanted = Math.min(this.#wanted * 2, limit)
    this.#waiters = []
    this.#returned = 0
    this.#untold = undefined
    this.#isAsked = true
    return ask
  }

  /** Takes what the owner gives. */
  settle(ask: Ask, { granted, ahead, remaining, nextFreeMs, freeByMs }: WindowAnswer, now: number): void {
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

  /** Gives back what the owner gives too late. */
  settleLate(ask: Ask, { granted, ahead }: WindowAnswer): void {
    this.#isAsked = false
    // Who was let pass without an answer has its place now.
    const used = Math.min(granted, ask.passedByShare)
    this.#untold?.remove(ask.sharedAt, used)
    this.#returned += granted - used + ahead
  }

  /** The owner took no notice: it is asked again. */
  askAgain(ask: Ask): void {
    this.#isAsked = false
    this.#waiters = [...ask.waiters, ...this.#waiters]
  }

  /** Answers who waits for a call without it, as far as the share goes. */
  answerByShare(ask: Ask, now: number, away: Away): void {
    ask.sharedAt = now
    for (const { weight, answer } of ask.waiters) {
      const taken = this.takeShare(weight, now, away)
      if (taken.passes) ask.passedByShare += weight
      answer(taken)
    }
    ask.waiters = []
  }

  /** The same for who waits for the next call. */
  answerWaitersByShare(now: number, away: Away): void {
    for (const { weight, answer } of this.#waiters) answer(this.takeShare(weight, now, away))
    this.#waiters = []
  }

  /**
   * Lets a request pass without the owner: for a minute as many as passed here before, or this gateway's part of the
   * plan where that is more; then that part. A request that is heavier than that has to have all of it.
   */
  takeShare(weight: number, now: number, away: Away): Taken {
    const count = this.#passed.countAt(now)
    const share = this.#shareAt(now, away)
    const passes = count + Math.min(weight, share) <= share
    if (passes) {
      this.#passed.add(now, weight)
      this.#untold ??= new Ring()
      this.#untold.add(now, weight)
    }
    const held = passes ? count + weight : count
    const nextMs = this.#passed.leavesIn(Math.max(0, held - share), now)
    const taken = { passes, remaining: Math.max(0, share - held), nextMs }
    return passes || weight === 1 ? taken : { ...taken, roomMs: WINDOW_MS }
  }

  /** Whether no other of that weight would pass without the owner. */
  isShareUsed(weight: number, now: number, away: Away): boolean {
    const share = this.#shareAt(now, away)
    return this.#passed.countAt(now) + Math.min(weight, share) > share
  }

  /** A new owner is to hear of all that passed here; says whether there is any. */
  tellAll(now: number): boolean {
    this.#returned = 0
    this.#held = 0
    this.#untold = undefined
    if (this.#passed.countAt(now) === 0) return false
    this.#untold = new Ring()
    this.#untold.addAll(this.#passed)
    return true
  }

  #shareAt(now: number, away: Away): number {
    if (this.#shareOf !== away) {
      this.#shareOf = away
      this.#share = this.#passed.countAt(now)
    }
    const part = Math.max(1, Math.floor(this.limit / away.gateways))
    return now - away.since < WINDOW_MS ? Math.max(this.#share, part) : part
  }

  #giveBack() {
    this.#wanted = Math.max(1, this.#given - this.#held)
    this.#returned += this.#held
    this.#held = 0
  }

  /** When there is room for several is not known here; all that counts now has left the window after its length. */
  #taken(passes: boolean, weight: number, now: number): Taken {
    const taken = { passes, remaining: this.#remaining, nextMs: Math.max(0, this.#freeBy - now) }
    return passes || weight === 1 ? taken : { ...taken, roomMs: WINDOW_MS }
  }
}
