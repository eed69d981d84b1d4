/** Calls to other services in the name of an account. */
import { type CallOptions, createContextValues } from '@connectrpc/connect'
import { type Principal, principalKey } from '@millhand/rpc'

const ASK_MS = 5_000

/** A call that is answered at once, or fails. */
export const onBehalfOf = (caller: Principal): CallOptions => ({ ...streamOnBehalfOf(caller), timeoutMs: ASK_MS })

/** One that takes as long as its streams. */
export const streamOnBehalfOf = (caller: Principal): Pick<CallOptions, 'contextValues'> => ({
  contextValues: createContextValues().set(principalKey, caller),
})
