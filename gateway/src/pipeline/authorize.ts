/** Compares the scopes of the caller's key with the scope of the method. */
import { fail } from '@millhand/api'
import { hasScope, type Principal } from '@millhand/rpc'

/** Fails with `insufficient_scope`, which names the scope. */
export function authorize(caller: Principal, scope: string) {
  if (hasScope(caller, scope)) return
  throw fail('insufficient_scope', `The key does not hold the scope \`${scope}\`.`, { metadata: { scope } })
}
