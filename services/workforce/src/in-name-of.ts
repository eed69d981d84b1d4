/** Calls to other services in the name of an account. */
import { type CallOptions, createContextValues } from '@connectrpc/connect'
import { type Principal, principalKey } from '@millhand/rpc'

const ASK_MS = 5_000

export const as = (caller: Principal): CallOptions => ({
  contextValues: createContextValues().set(principalKey, caller),
  timeoutMs: ASK_MS,
})
