/** What every call goes through before anything else of its request is looked at. */
import { fail, type Route } from '@millhand/api'
import type { Principal } from '@millhand/rpc'
import type { Exchange } from '../exchange.ts'
import type { Authenticate } from './authenticate.ts'
import { requireScope } from './scope.ts'

/** Who calls, once it is sure that they may; at once where their key is remembered. Fails with 401 or 403. */
export type Admit = (exchange: Exchange) => Principal | Promise<Principal>

export function createAdmit({ method, access }: Route, authenticate: Authenticate): Admit {
  const allowed = (exchange: Exchange, caller: Principal) => {
    requireScope(exchange, caller, access.scope)
    if (method === 'POST') refuseIdempotencyKey(exchange)
    return caller
  }
  return exchange => {
    const caller = authenticate(exchange)
    return caller instanceof Promise ? caller.then(known => allowed(exchange, known)) : allowed(exchange, caller)
  }
}

/** A key that was silently ignored would promise what this version does not keep. */
function refuseIdempotencyKey(exchange: Exchange) {
  if (exchange.header('idempotency-key') === undefined) return
  throw fail('invalid_idempotency_key', 'This version does not support `Idempotency-Key` yet: leave it out.')
}
