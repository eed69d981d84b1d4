/** Compares the scopes of the caller's key with the scope of the method. */
import { fail } from '@millhand/api'
import type { Principal } from '@millhand/rpc'

/** Whether the caller has `scope`; `*` is all of them. `write` does not imply `read`. */
export function hasScope(caller: Principal, scope: string): boolean {
  return caller.scopes.has(scope) || caller.scopes.has('*')
}

/** Fails with `insufficient_scope`, which names the scope. */
export function authorize(caller: Principal, scope: string) {
  if (hasScope(caller, scope)) return
  throw fail('insufficient_scope', `The key does not hold the scope \`${scope}\`.`, { metadata: { scope } })
}
