/** Calls the service of a method that has one request and one answer. */
import type { Transport } from '@connectrpc/connect'
import type { RouteOf } from '@millhand/api'
import type { Clock } from '@millhand/process'
import { operationKey, reachedLimitKey, waitMsKey } from '@millhand/rpc'
import type { Spending } from '../admission/spending.ts'
import type { Idempotency } from '../idempotency/idempotency.ts'
import { retryWhileLost } from '../idempotency/retry.ts'
import type { Authenticated } from '../inbound.ts'
import { CALL_MS, call, callValues, type Message } from './call.ts'

export interface InvokeDeps {
  readonly transport: Transport
  readonly clock: Clock
  readonly idempotency: Idempotency
  readonly spending: Spending
}

interface InvokeOptions {
  /** Begins a wait: how many milliseconds the call may itself wait for the end of what it creates. */
  readonly begin?: (() => number) | undefined
  /** Milliseconds that the caller has, where it says so. */
  readonly deadlineMs?: number | undefined
}

/** A request that is admitted and read. */
interface Request extends Authenticated {
  readonly message: Message
}

/**
 * The answer of the service; `operation` is the id of a keyed operation. Fails with `spending_limit_reached`, and as the
 * service does.
 */
type Invoke = (request: Request, operation: string | undefined, options: InvokeOptions) => Promise<Message>

export function createInvoke(
  { desc: method, access, answer }: RouteOf<'json'>,
  { transport, idempotency, spending, clock }: InvokeDeps,
): Invoke {
  return async ({ exchange, caller, message }, operation, { begin, deadlineMs = Number.POSITIVE_INFINITY }) => {
    if (access.spends !== '') spending.require(caller, access.spends)
    const values = callValues(caller, exchange).set(operationKey, operation)
    if (access.maySpend !== '') values.set(reachedLimitKey, spending.reached(caller, access.maySpend))
    if (begin !== undefined) values.set(waitMsKey, begin())
    const ask = (timeoutMs: number) =>
      call(transport, method, message, { exchange, values, timeoutMs, tellsQuota: access.tellsQuota })
    const ownMs = access.maxCallS > 0 ? access.maxCallS * 1000 : exchange.leftOf(CALL_MS)
    const callMs = Math.max(1, Math.min(ownMs, deadlineMs))
    // A service answers the second call of an operation as the first.
    const result = operation === undefined ? await ask(callMs) : await retryWhileLost(clock, ask, callMs)
    if (answer.forgets) await idempotency.forget(exchange, caller, idOf(result))
    return result
  }
}

const idOf = (message: Message) => (message as Message & { readonly id: string }).id
