/** Calls to other services in the name of an account. */
import { type CallOptions, Code, ConnectError, createContextValues } from '@connectrpc/connect'
import { type Principal, principalKey, requestIdKey, traceKey } from '@millhand/rpc'
import type { TraceContext } from '@millhand/telemetry'
import type { BatchRecord } from './batch.ts'

const ASK_MS = 30_000

/** What a call is made for, where that is known. */
interface Causes {
  readonly requestId?: string | undefined
  readonly trace?: TraceContext | undefined
}

/** A call that is answered at once, or fails. */
export const onBehalfOf = (caller: Principal, signal: AbortSignal, of: Causes = {}): CallOptions => ({
  ...streamOnBehalfOf(caller, signal, of),
  timeoutMs: ASK_MS,
})

/** One that takes as long as its streams. */
export const streamOnBehalfOf = (
  caller: Principal,
  signal: AbortSignal,
  { requestId, trace }: Causes = {},
): Pick<CallOptions, 'contextValues' | 'signal'> => ({
  contextValues: createContextValues().set(principalKey, caller).set(requestIdKey, requestId).set(traceKey, trace),
  signal,
})

/** Resolves also where the service is of an earlier version, which has no such method. */
export async function unlessUnimplemented(call: Promise<unknown>): Promise<void> {
  await call.catch(error => {
    if (ConnectError.from(error).code !== Code.Unimplemented) throw error
  })
}

/** Who a batch belongs to, for what is done to it when nobody calls. */
export const principalOf = ({ account_id, mode, tenant, plans }: BatchRecord): Principal => ({
  accountId: account_id,
  mode,
  tenant,
  scopes: new Set(),
  keyId: '',
  plans,
})
