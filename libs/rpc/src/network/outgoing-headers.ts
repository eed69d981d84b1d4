/** What a call's context values become on a network: headers. */
import type { ContextValues, Interceptor } from '@connectrpc/connect'
import { traceparentOf } from '@millhand/telemetry'
import { operationKey, waitMsKey } from '../operation.ts'
import { type Principal, principalKey, requestIdKey } from '../principal.ts'
import { reachedLimitKey, writeReachedLimit } from '../reached-limit.ts'
import { traceKey } from '../trace.ts'
import { principalHeader } from './signed-principal.ts'

/** Carries `req_…` of the request that caused the call. */
export const requestIdHeader = 'millhand-request-id'

/** Carries the operation that the call is part of. */
export const operationHeader = 'millhand-operation'

/** Carries how long the call may itself wait for the end of what it creates, in milliseconds. */
export const waitMsHeader = 'millhand-wait-ms'

/** Carries the spending limit that is reached, for a method that may spend more or not. */
export const reachedLimitHeader = 'millhand-reached-limit'

/** The header lines of a call with these values. */
export type OutgoingHeaders = (values: ContextValues | undefined) => readonly (readonly [name: string, value: string])[]

/** Carries the principal, signed, the request id, the operation, the wait, the reached limit and the trace of every call that has them. */
export function outgoingHeaders(signer: (principal: Principal) => string): OutgoingHeaders {
  return values => {
    const caller = values?.get(principalKey)
    const requestId = values?.get(requestIdKey)
    const operation = values?.get(operationKey)
    const waitMs = values?.get(waitMsKey) ?? 0
    const lines: [string, string][] = []
    if (caller !== undefined) lines.push([principalHeader, signer(caller)])
    if (requestId !== undefined) lines.push([requestIdHeader, requestId])
    if (operation !== undefined) lines.push([operationHeader, operation])
    if (waitMs > 0) lines.push([waitMsHeader, String(waitMs)])
    const reached = values?.get(reachedLimitKey)
    if (reached !== undefined) lines.push([reachedLimitHeader, writeReachedLimit(reached)])
    const trace = values?.get(traceKey)
    if (trace !== undefined) lines.push(['traceparent', traceparentOf(trace)])
    if (trace?.state !== undefined) lines.push(['tracestate', trace.state])
    return lines
  }
}

/** Sends those lines with every call of an ordinary Connect client. */
export function sendHeaders(headers: OutgoingHeaders): Interceptor {
  return next => request => {
    for (const [name, value] of headers(request.contextValues)) request.header.set(name, value)
    return next(request)
  }
}
