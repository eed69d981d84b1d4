/** Calls of one gateway to the owner of the rate windows, and what passes while the owner is away. */
import { randomUUID } from 'node:crypto'
import type { Client } from '@connectrpc/connect'
import type { RateService, TakePlacesResponse } from '@millhand/api/gen/millhand/identity/v1/rate_service_pb.ts'
import type { Clock } from '@millhand/process'
import type { Log } from '@millhand/telemetry'
import type { Outage } from './outage-share.ts'
import type { PermitRequest, SharedWindow } from './shared-window.ts'

export interface OwnerCallsDeps {
  readonly rates: Pick<Client<typeof RateService>, 'takePlaces'>
  readonly clock: Clock
  readonly log: Log
}

/** A call to the owner, until it is answered. */
interface Call {
  readonly number: bigint
  readonly asks: readonly PermitRequest[]
  /** Whether its requests were answered without the owner. */
  isLate: boolean
}

/** Milliseconds that a request waits for the owner. */
const ANSWER_MS = 250
/** Milliseconds in which a late answer is still of use: its permits can be returned. */
const TIMEOUT_MS = 2_000
/** Of one call. */
const MAX_WINDOWS = 1_000

export class OwnerCalls {
  readonly #deps: OwnerCallsDeps
  readonly #windows: Iterable<readonly [name: string, window: SharedWindow]>
  readonly #gatewayId = randomUUID()
  /** Windows with something for the owner's next call, and windows with permits in advance. */
  readonly #withNews = new Set<SharedWindow>()
  readonly #withAdvance = new Set<SharedWindow>()
  #epoch = ''
  #gateways = 1
  #outage: Outage | undefined
  #isAsking = false
  #askedAt = Number.NEGATIVE_INFINITY
  #wasNewOwner = false
  #calls = 0n
  #unanswered: Call | undefined

  /** `windows`: all that the gateway keeps. */
  constructor(deps: OwnerCallsDeps, windows: Iterable<readonly [name: string, window: SharedWindow]>) {
    this.#deps = deps
    this.#windows = windows
  }

  /** Set while the owner can't be reached. */
  get outage(): Outage | undefined {
    return this.#outage
  }

  get isAsking(): boolean {
    return this.#isAsking
  }

  /** When the latest call was made, by the monotonic clock. */
  get askedAt(): number {
    return this.#askedAt
  }

  /** Whether there is something for the next call. */
  get hasNews(): boolean {
    return this.#withNews.size > 0
  }

  /** The next call is about this window too. */
  add(window: SharedWindow): void {
    this.#withNews.add(window)
  }

  /** Has the next call return the permits that were not used in time. */
  returnUnused(now: number): void {
    for (const window of this.#withAdvance) {
      if (window.holdsAt(now)) continue
      this.#withAdvance.delete(window)
      if (window.hasNews) this.#withNews.add(window)
    }
  }

  /** Makes one call at a time until nothing waits for the owner. */
  async ask(): Promise<void> {
    if (this.#isAsking) return
    this.#isAsking = true
    do await this.#call()
    while (this.#withNews.size > 0 && this.#outage === undefined)
    this.#isAsking = false
  }

  /** Makes the next call, or repeats the one that was not answered. */
  async #call(): Promise<void> {
    const { clock, rates } = this.#deps
    const now = clock.monotonic()
    this.#askedAt = now
    this.#unanswered ??= this.#nextCall(now)
    const asking = this.#unanswered
    const timer = clock.timer(ANSWER_MS, () =>
      this.#continueWithoutOwner(asking, new Error(`no answer within ${ANSWER_MS} ms`)),
    )
    try {
      const request = {
        gatewayId: this.#gatewayId,
        epoch: this.#epoch,
        call: asking.number,
        windows: asking.asks.map(ask => inRequest(ask, now)),
      }
      this.#settle(await rates.takePlaces(request, { timeoutMs: TIMEOUT_MS }), asking)
      this.#unanswered = undefined
    } catch (error) {
      this.#continueWithoutOwner(asking, error)
    } finally {
      timer.cancel()
    }
  }

  #nextCall(now: number): Call {
    const asks: PermitRequest[] = []
    for (const window of this.#withNews) {
      if (asks.length === MAX_WINDOWS) break
      this.#withNews.delete(window)
      asks.push(window.ask(now))
    }
    this.#calls++
    return { number: this.#calls, asks, isLate: false }
  }

  #settle(answer: TakePlacesResponse, { asks, isLate }: Call): void {
    const { clock, log } = this.#deps
    const isNewOwner = answer.tellRecent
    this.#epoch = answer.epoch
    if (isNewOwner && this.#wasNewOwner) throw new Error('two replicas take themselves for the owner')
    this.#wasNewOwner = isNewOwner
    const now = clock.monotonic()
    if (this.#outage !== undefined) log.info('rate.owner_back', { ms: Math.round(now - this.#outage.since) })
    this.#outage = undefined
    this.#gateways = Math.max(1, answer.gateways)
    if (isNewOwner) for (const [, window] of this.#windows) if (window.reportAll(now)) this.#withNews.add(window)
    asks.forEach((each, index) => {
      const { window } = each
      const given = answer.windows[index]
      if (isNewOwner || given === undefined) window.askAgain(each)
      else if (isLate) window.settleLate(each, given)
      else window.settle(each, given, now)
      if (window.hasNews) this.#withNews.add(window)
      if (window.holdsAt(now)) this.#withAdvance.add(window)
    })
  }

  /** Answers the requests of a call without the owner, and those that wait for the next call. */
  #continueWithoutOwner(call: Call, error: unknown): void {
    if (call.isLate) return
    call.isLate = true
    const now = this.#deps.clock.monotonic()
    if (this.#outage === undefined) this.#deps.log.warn('rate.owner_away', { error })
    this.#outage ??= { since: now, gateways: this.#gateways }
    for (const each of call.asks) {
      each.window.answerByShare(each, now, this.#outage)
      if (each.window.hasNews) this.#withNews.add(each.window)
    }
    for (const window of this.#withNews) window.answerWaitersByShare(now, this.#outage)
  }
}

function inRequest({ window, waiters, limit, ahead, returned, told }: PermitRequest, now: number) {
  told?.countAt(now)
  const needed = waiters.reduce((sum, { weight }) => sum + weight, 0)
  return { window: window.name, limit, needed, ahead, returned, recent: told?.perSecond(now) ?? [] }
}
