/** Request rates that several gateways share: the owner of the windows gives places, some of them ahead. */
import { randomUUID } from 'node:crypto'
import type { Client } from '@connectrpc/connect'
import type { RateService, TakePlacesResponse } from '@millhand/api/gen/millhand/identity/v1/rate_service_pb.ts'
import { Windows } from '@millhand/rate'
import { type Clock, everyInterval } from '@millhand/runner'
import type { Log } from '@millhand/telemetry'
import type { RateLimiter } from './limiter.ts'
import { type Ask, type Away, SharedWindow } from './shared-window.ts'

export interface SharedLimiter extends RateLimiter {
  /** Gives places back, and looks whether the owner is there, until the signal ends. */
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
  readonly asks: readonly Ask[]
  /** Whether nobody waits for it any more. */
  isLate: boolean
}

/** So many milliseconds a request waits for the owner. */
const PATIENCE_MS = 250
/** For so long an answer is still of use: what it gives can be given back. */
const TIMEOUT_MS = 2_000
/** How often places are looked after, and the owner while it is away. */
const TICK_MS = 250
/** How often the owner hears of a gateway at least: it counts them, and a new one has to be told what has passed. */
const HEARTBEAT_MS = 1_000
/** Of one call. */
const MOST_WINDOWS = 1_000

export function sharedLimiter({ rates, clock, log }: SharedLimiterDeps): SharedLimiter {
  const gatewayId = randomUUID()
  const windows = new Windows(
    name => new SharedWindow(name),
    (window, now) => window.isIdle(now),
  )
  /** Those that the owner is to be asked or told of, and those that hold places ahead. */
  const speaking = new Set<SharedWindow>()
  const holding = new Set<SharedWindow>()
  let epoch = ''
  let gateways = 1
  let away: Away | undefined
  let isAsking = false
  let askedAt = Number.NEGATIVE_INFINITY
  let wasStranger = false
  let calls = 0n
  let unanswered: Call | undefined

  /** Asks for all that waits, in one call at a time. */
  async function ask() {
    if (isAsking) return
    isAsking = true
    do await call()
    while (speaking.size > 0 && away === undefined)
    isAsking = false
  }

  /** Makes a call, or again the one that was not answered. */
  async function call() {
    askedAt = clock.monotonic()
    unanswered ??= nextCall(askedAt)
    const asking = unanswered
    const timer = clock.timer(PATIENCE_MS, () => goOn(asking, new Error(`no answer within ${PATIENCE_MS} ms`)))
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
      goOn(asking, error)
    } finally {
      timer.cancel()
    }
  }

  function nextCall(now: number): Call {
    const asks: Ask[] = []
    for (const window of speaking) {
      if (asks.length === MOST_WINDOWS) break
      speaking.delete(window)
      asks.push(window.ask(now))
    }
    calls++
    return { number: calls, asks, isLate: false }
  }

  function inRequest({ window, waiters, limit, ahead, returned, told }: Ask, now: number) {
    told?.countAt(now)
    const needed = waiters.reduce((sum, { weight }) => sum + weight, 0)
    return { window: window.name, limit, needed, ahead, returned, recent: told?.perSecond(now) ?? [] }
  }

  function settle(answer: TakePlacesResponse, { asks, isLate }: Call) {
    const isStranger = answer.tellRecent
    epoch = answer.epoch
    if (isStranger && wasStranger) throw new Error('two replicas take themselves for the owner')
    wasStranger = isStranger
    const now = clock.monotonic()
    if (away !== undefined) log.info('rate.owner_back', { ms: Math.round(now - away.since) })
    away = undefined
    gateways = Math.max(1, answer.gateways)
    if (isStranger) for (const [, window] of windows) if (window.tellAll(now)) speaking.add(window)
    asks.forEach((each, index) => {
      const { window } = each
      const given = answer.windows[index]
      if (isStranger || given === undefined) window.askAgain(each)
      else if (isLate) window.settleLate(each, given)
      else window.settle(each, given, now)
      if (window.hasToSay) speaking.add(window)
      if (window.holdsAt(now)) holding.add(window)
    })
  }

  /** Goes on without the owner: with what it was asked, and with what waits for the next call. */
  function goOn(call: Call, error: unknown) {
    if (call.isLate) return
    call.isLate = true
    const now = clock.monotonic()
    if (away === undefined) log.warn('rate.owner_away', { error })
    away ??= { since: now, gateways }
    for (const each of call.asks) {
      each.window.answerByShare(each, now, away)
      if (each.window.hasToSay) speaking.add(each.window)
    }
    for (const window of speaking) window.answerWaitersByShare(now, away)
  }

  return {
    take({ name, limit }, weight = 1) {
      const now = clock.monotonic()
      const window = windows.get(name, now)
      window.limit = limit
      if (away !== undefined) {
        const taken = window.takeShare(weight, now, away)
        if (taken.passes) speaking.add(window)
        return taken
      }
      const known = window.takeKnown(weight, now)
      if (known !== undefined) return known
      const answer = window.wait(weight)
      speaking.add(window)
      // Together with what else comes in this turn.
      if (!isAsking) queueMicrotask(() => void ask())
      return answer
    },

    isFull({ name, limit }, weight) {
      const now = clock.monotonic()
      const window = windows.get(name, now)
      window.limit = limit
      return away === undefined ? window.isKnownFull(weight, now) : window.isShareUsed(weight, now, away)
    },

    run: signal =>
      everyInterval(clock, TICK_MS, signal, () => {
        const now = clock.monotonic()
        for (const window of holding) {
          if (window.holdsAt(now)) continue
          holding.delete(window)
          if (window.hasToSay) speaking.add(window)
        }
        const isDue = windows.size > 0 && now - askedAt >= HEARTBEAT_MS
        if (speaking.size > 0 || away !== undefined || isDue) void ask()
      }),

    get size() {
      return windows.size
    },
  }
}
