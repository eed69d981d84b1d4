/** What a caller may do. */
import { fail } from '@millhand/api'
import type { Principal } from '@millhand/rpc'
import type { Exchange } from '../exchange.ts'

/** Whether the caller holds `scope`; `*` is all of them. `write` does not imply `read`. */
export function holds(caller: Principal, scope: string): boolean {
  return caller.scopes.has(scope) || caller.scopes.has('*')
}

/** Fails with `insufficient_scope`, which names the scope also as RFC 6750, section 3.1, has it. */
export function requireScope(exchange: Exchange, caller: Principal, scope: string) {
  if (holds(caller, scope)) return
  exchange.carry('WWW-Authenticate', `Bearer realm="millhand", error="insufficient_scope", scope="${scope}"`)
  throw fail('insufficient_scope', `The key does not hold the scope \`${scope}\`.`)
}
