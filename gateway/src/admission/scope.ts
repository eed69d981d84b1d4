/** What a caller may do. */
import { fail } from '@millhand/api'
import type { Principal } from '@millhand/rpc'

/** Whether the caller holds `scope`; `*` is all of them. `write` does not imply `read`. */
export function holds(caller: Principal, scope: string): boolean {
  return caller.scopes.has(scope) || caller.scopes.has('*')
}

/** Fails with `insufficient_scope`, which names the scope. */
export function requireScope(caller: Principal, scope: string) {
  if (holds(caller, scope)) return
  throw fail('insufficient_scope', `The key does not hold the scope \`${scope}\`.`, { metadata: { scope } })
}
