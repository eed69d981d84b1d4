/** What every call goes through before anything else of its request is looked at. */
import type { Route } from '@millhand/api'
import type { Exchange } from '../exchange.ts'
import type { Authenticate } from './authenticate.ts'
import type { Caller } from './caller.ts'
import { createEnforce, windowOf } from './rate/enforce.ts'
import type { RateLimiter } from './rate/limiter.ts'
import { requireScope } from './scope.ts'

/** Who calls, once it is sure that they may; at once where that is known here. Fails with 401, 403 or 429. */
export type Admit = (exchange: Exchange) => Caller | Promise<Caller>

export interface AdmitDeps {
  readonly authenticate: Authenticate
  readonly limiter: RateLimiter
}

export function createAdmit(route: Route, { authenticate, limiter }: AdmitDeps): Admit {
  const admitCaller = createAdmitCaller(route, limiter)
  return exchange => {
    const caller = authenticate(exchange)
    return caller instanceof Promise
      ? caller.then(known => admitCaller(exchange, known))
      : admitCaller(exchange, caller)
  }
}

/** The same of who is known already. Fails with 403 or 429. */
export function createAdmitCaller({ access }: Route, limiter: RateLimiter) {
  const enforce = createEnforce(access.limit, limiter)
  const allowed = (caller: Caller) => {
    requireScope(caller, access.scope)
    return caller
  }
  return (exchange: Exchange, caller: Caller): Caller | Promise<Caller> => {
    exchange.mode = caller.mode
    const counted = enforce(exchange, caller)
    return counted instanceof Promise ? counted.then(allowed) : allowed(counted)
  }
}

/** Whether it is known here that calls of somebody are over for now. Counts nothing. */
export function createIsFull({ access }: Route, limiter: RateLimiter): (caller: Caller) => boolean {
  return caller => {
    const window = windowOf(caller, access.limit)
    return window !== undefined && limiter.isFull(window)
  }
}
