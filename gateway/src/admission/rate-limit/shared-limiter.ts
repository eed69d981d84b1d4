/** Request rates that several gateways share: the owner of the windows grants permits, some of them in advance. */
import { randomUUID } from 'node:crypto'
import type { Client } from '@connectrpc/connect'
import type { RateService, TakePlacesResponse } from '@millhand/api/gen/millhand/identity/v1/rate_service_pb.ts'
import { type Clock, everyInterval } from '@millhand/process'
import { WindowMap } from '@millhand/rate'
import type { Log } from '@millhand/telemetry'
import type { RateLimiter } from './limiter.ts'
import { type Outage, type PermitRequest, SharedWindow } from './shared-window.ts'

export interface SharedLimiter extends RateLimiter {
  /** Returns permits and polls the owner, until the signal ends. */
  run(signal: AbortSignal): Promise<void>
  /** How many windows are kept. */
  readonly size: number
}

export interface SharedLimiterDeps {
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
/** Milliseconds between two looks at permits, and between two calls during an outage. */
const TICK_MS = 250
/** Milliseconds between two calls at most: the owner counts the gateways, and a new owner has to hear what has passed. */
const HEARTBEAT_MS = 1_000
/** Of one call. */
const MAX_WINDOWS = 1_000

export function sharedLimiter({ rates, clock, log }: SharedLimiterDeps): SharedLimiter {
  const gatewayId = randomUUID()
  const windows = new WindowMap(
    name => new SharedWindow(name),
    (window, now) => window.isIdle(now),
  )
  /** Windows with something for the owner's next call, and windows with permits in advance. */
  const withNews = new Set<SharedWindow>()
  const withAdvance = new Set<SharedWindow>()
  let epoch = ''
  let gateways = 1
  let outage: Outage | undefined
  let isAsking = false
  let askedAt = Number.NEGATIVE_INFINITY
  let wasNewOwner = false
  let calls = 0n
  let unanswered: Call | undefined

  /** Makes one call at a time until nothing waits for the owner. */
  async function ask() {
    if (isAsking) return
    isAsking = true
    do await call()
    while (withNews.size > 0 && outage === undefined)
    isAsking = false
  }

  /** Makes the next call, or repeats the one that was not answered. */
  async function call() {
    askedAt = clock.monotonic()
    unanswered ??= nextCall(askedAt)
    const asking = unanswered
    const timer = clock.timer(ANSWER_MS, () =>
      continueWithoutOwner(asking, new Error(`no answer within ${ANSWER_MS} ms`)),
    )
    try {
      const request = {
        gatewayId,
        epoch,
        call: asking.number,
        windows: asking.asks.map(ask => inRequest(ask, askedAt)),
      }
      settle(await rates.takePlaces(request, { timeoutMs: TIMEOUT_MS }), asking)
      unanswered = undefined
    } catch (error) {
      continueWithoutOwner(asking, error)
    } finally {
      timer.cancel()
    }
  }

  function nextCall(now: number): Call {
    const asks: PermitRequest[] = []
    for (const window of withNews) {
      if (asks.length === MAX_WINDOWS) break
      withNews.delete(window)
      asks.push(window.ask(now))
    }
    calls++
    return { number: calls, asks, isLate: false }
  }

  function inRequest({ window, waiters, limit, ahead, returned, told }: PermitRequest, now: number) {
    told?.countAt(now)
    const needed = waiters.reduce((sum, { weight }) => sum + weight, 0)
    return { window: window.name, limit, needed, ahead, returned, recent: told?.perSecond(now) ?? [] }
  }

  function settle(answer: TakePlacesResponse, { asks, isLate }: Call) {
    const isNewOwner = answer.tellRecent
    epoch = answer.epoch
    if (isNewOwner && wasNewOwner) throw new Error('two replicas take themselves for the owner')
    wasNewOwner = isNewOwner
    const now = clock.monotonic()
    if (outage !== undefined) log.info('rate.owner_back', { ms: Math.round(now - outage.since) })
    outage = undefined
    gateways = Math.max(1, answer.gateways)
    if (isNewOwner) for (const [, window] of windows) if (window.reportAll(now)) withNews.add(window)
    asks.forEach((each, index) => {
      const { window } = each
      const given = answer.windows[index]
      if (isNewOwner || given === undefined) window.askAgain(each)
      else if (isLate) window.settleLate(each, given)
      else window.settle(each, given, now)
      if (window.hasNews) withNews.add(window)
      if (window.holdsAt(now)) withAdvance.add(window)
    })
  }

  /** Answers the requests of a call without the owner, and those that wait for the next call. */
  function continueWithoutOwner(call: Call, error: unknown) {
    if (call.isLate) return
    call.isLate = true
    const now = clock.monotonic()
    if (outage === undefined) log.warn('rate.owner_away', { error })
    outage ??= { since: now, gateways }
    for (const each of call.asks) {
      each.window.answerByShare(each, now, outage)
      if (each.window.hasNews) withNews.add(each.window)
    }
    for (const window of withNews) window.answerWaitersByShare(now, outage)
  }

  return {
    take({ name, limit }, weight = 1) {
      const now = clock.monotonic()
      const window = windows.get(name, now)
      window.limit = limit
      if (outage !== undefined) {
        const taken = window.takeShare(weight, now, outage)
        if (taken.passes) withNews.add(window)
        return taken
      }
      const known = window.takeKnown(weight, now)
      if (known !== undefined) return known
      const answer = window.wait(weight)
      withNews.add(window)
      // Together with the other requests of this turn of the event loop.
      if (!isAsking) queueMicrotask(() => void ask())
      return answer
    },

    isFull({ name, limit }, weight) {
      const now = clock.monotonic()
      const window = windows.get(name, now)
      window.limit = limit
      return outage === undefined ? window.isKnownFull(weight, now) : window.isShareUsed(weight, now, outage)
    },

    run: signal =>
      everyInterval(clock, TICK_MS, signal, () => {
        const now = clock.monotonic()
        for (const window of withAdvance) {
          if (window.holdsAt(now)) continue
          withAdvance.delete(window)
          if (window.hasNews) withNews.add(window)
        }
        const isDue = windows.size > 0 && now - askedAt >= HEARTBEAT_MS
        if (withNews.size > 0 || outage !== undefined || isDue) void ask()
      }),

    get size() {
      return windows.size
    },
  }
}
