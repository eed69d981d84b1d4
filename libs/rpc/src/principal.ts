/** Who calls: checked at the edge, passed with every call. */
import { createContextKey, type HandlerContext } from '@connectrpc/connect'
import type { PlanNames } from '@millhand/api'

export interface Principal {
  readonly accountId: string
  readonly mode: 'live' | 'test'
  /** `<account id>/<mode>`: what every document is stored under. */
  readonly tenant: string
  readonly scopes: ReadonlySet<string>
  readonly keyId: string
  /** The account's. */
  readonly plans: PlanNames
}

/** Whether the caller has `scope`; `*` is all of them. `write` does not imply `read`. */
export const hasScope = ({ scopes }: Pick<Principal, 'scopes'>, scope: string): boolean =>
  scopes.has(scope) || scopes.has('*')

/** The caller. Network transports carry it in a signed header; the direct one passes it as it is. */
export const principalKey = createContextKey<Principal | undefined>(undefined, { description: 'principal' })
/** An executor that runs the tasks of one account alone: a replica of an instance. */
export interface ConfinedExecutor {
  /** Whose tasks. */
  readonly tenant: string
  readonly instance: string
  readonly generation: number
}

/** Who calls, where that is such an executor. Its service token says so. */
export const confinedExecutorKey = createContextKey<ConfinedExecutor | undefined>(undefined, {
  description: 'confined executor',
})
/** `req_…` of the request that caused the call. */
export const requestIdKey = createContextKey<string | undefined>(undefined, { description: 'request id' })

/** The caller of a method that has an `access` option: the serving side refuses such calls without one. */
export function principal(call: Pick<HandlerContext, 'values'>): Principal {
  const caller = call.values.get(principalKey)
  if (!caller) throw new Error('a method with an access option was called without a principal')
  return caller
}
