/** What every call goes through before anything else of its request is looked at. */
import type { Route } from '@millhand/api'
import type { Exchange } from '../exchange.ts'
import type { Authenticate } from './authenticate.ts'
import type { Caller } from './caller.ts'
import type { Concurrency } from './concurrency.ts'
import { createEnforce, windowOf } from './rate/enforce.ts'
import type { RateLimiter } from './rate/limiter.ts'
import { announcedWeight, weightOf } from './rate/weight.ts'
import { requireScope } from './scope.ts'

/** Who calls, once it is sure that they may; at once where that is known here. Fails with 401, 403 or 429. */
export type Admit = (exchange: Exchange) => Caller | Promise<Caller>

export interface AdmitDeps {
  readonly authenticate: Authenticate
  readonly limiter: RateLimiter
  /** The requests that are being answered, event streams left out: they have a limit of their own. */
  readonly requests: Concurrency
}

export function createAdmit(route: Route, deps: AdmitDeps): Admit {
  const { authenticate } = deps
  const admitCaller = createAdmitCaller(route, deps)
  return exchange => {
    const caller = authenticate(exchange)
    return caller instanceof Promise
      ? caller.then(known => admitCaller(exchange, known))
      : admitCaller(exchange, caller)
  }
}

/** The most bytes of a body that is parsed. */
export const BODY_LIMIT = 1_048_576

/** The same of a caller who is known already. Fails with 403 or 429. */
export function createAdmitCaller(route: Route, { limiter, requests }: Omit<AdmitDeps, 'authenticate'>) {
  const { access } = route
  const enforce = createEnforce(access.limit, limiter)
  const allowed = (exchange: Exchange, caller: Caller) => {
    requireScope(caller, access.scope)
    if (route.kind !== 'events') exchange.hold(requests.take(caller))
    return caller
  }
  return (exchange: Exchange, caller: Caller): Caller | Promise<Caller> => {
    exchange.mode = caller.mode
    const counted = enforce(exchange, caller, weighed(route, exchange), 0, comesInChunks(route, exchange))
    return counted instanceof Promise ? counted.then(known => allowed(exchange, known)) : allowed(exchange, counted)
  }
}

/** What the body of an admitted request weighs is known from its head, unless that comes in chunks. */
const weighed = (route: Route, exchange: Exchange): number =>
  hasParsedBody(route) ? announcedWeight(exchange.header('content-length'), BODY_LIMIT) : 1

const comesInChunks = (route: Route, exchange: Exchange): boolean =>
  hasParsedBody(route) && exchange.header('transfer-encoding') !== undefined

/** A file is read as it comes, and nothing of it is parsed. */
const hasParsedBody = (route: Route): boolean => route.kind === 'json' && route.body === '*'

/**
 * Counts what the body of an admitted request weighs beyond what its head said; before anything parses it. Fails with 429.
 */
export function createAdmitBody(route: Route, limiter: RateLimiter) {
  const enforce = createEnforce(route.access.limit, limiter)
  return (exchange: Exchange, caller: Caller, bytes: number): Caller | Promise<Caller> => {
    const counted = weighed(route, exchange)
    const weight = weightOf(bytes)
    return weight > counted ? enforce(exchange, caller, weight, counted) : caller
  }
}

/** Whether it is known here that the caller's window has no room for a request. Counts nothing. */
export function createIsFull(route: Route, limiter: RateLimiter): (exchange: Exchange, caller: Caller) => boolean {
  return (exchange, caller) => {
    const window = windowOf(caller, route.access.limit)
    return window !== undefined && limiter.isFull(window, Math.min(weighed(route, exchange), window.limit))
  }
}
