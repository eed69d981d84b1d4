/** Calls of one request and one answer, and waits. */

import { toBinary } from '@bufbuild/protobuf'
import type { HandlerContext } from '@connectrpc/connect'
import { fail, type RouteOf } from '@millhand/api'
import { check } from '@millhand/rpc'
import { checkedKey, type KeyedRequest } from '../idempotency/idempotency-key.ts'
import type { Outcome } from '../idempotency/replay.ts'
import type { Authenticated } from '../inbound.ts'
import { authorize } from '../pipeline/authorize.ts'
import { CALL_MS, callValues, type Message } from '../pipeline/call.ts'
import { createInvoke } from '../pipeline/invoke.ts'
import { createIdempotent } from '../pipeline/keyed-request.ts'
import { hasEnded, type JsonDeps } from '../pipeline/pipeline.ts'
import { ANSWER_MS } from '../pipeline/prefer-wait.ts'
import { createLimit } from '../pipeline/request-weight.ts'
import type { BodyReply } from '../reply.ts'
import { fingerprintOf, messageOf, replyOfFailure, replyOfMessage } from './kept-message.ts'
import { callOf } from './rpc-call.ts'

export type Unary = (request: Message, context: HandlerContext) => Promise<Message>

interface UnaryRequest extends Authenticated {
  readonly message: Message
  readonly deadlineMs: number | undefined
}

/** As REST answers the route: counted by its size, done once for an idempotency key, by its deadline at most. */
export function unaryMethod(route: RouteOf<'json'>, deps: JsonDeps): Unary {
  const { desc: method, answer } = route
  const invoke = createInvoke(route, deps)
  const limit = createLimit(route, deps.limiter)
  const endScope = answer.wait ? deps.waits.of(method).scope : undefined
  const idempotent = createIdempotent<UnaryRequest>(deps.idempotency, { perform, failureOf: () => replyOfFailure })
  const isRead = route.method === 'GET'

  async function invoked(request: UnaryRequest, operation?: string) {
    // What has begun for a key goes on after its caller's deadline, and is kept for the next try.
    const { deadlineMs } = operation === undefined ? request : {}
    const result = await invoke(request, operation, { deadlineMs })
    const scope = endScope !== undefined && hasEnded(result) ? endScope : undefined
    if (scope !== undefined) authorize(request.caller, scope)
    return { result, scope }
  }

  async function perform(request: UnaryRequest, operation: string): Promise<Outcome> {
    const { result, scope } = await invoked(request, operation)
    return { reply: replyOfMessage(method, answer.status, result), scope }
  }

  async function keyedAnswer(request: UnaryRequest, keyed: KeyedRequest): Promise<Message> {
    const reply = await idempotent(request, keyed)
    const { exchange } = request
    for (let at = 0; at < reply.headers.length; at += 2) {
      exchange.addHeader(reply.headers[at] as string, reply.headers[at + 1] as string)
    }
    return messageOf(method, reply as BodyReply)
  }

  return async (message, context) => {
    const { exchange, caller, bytes } = callOf(context)
    context.signal.throwIfAborted()
    const request: UnaryRequest = { exchange, caller, message, deadlineMs: context.timeoutMs() }
    if (route.body === '*') {
      const counted = limit.body(request, bytes)
      if (counted instanceof Promise) await counted
    }
    const key = route.method === 'POST' ? exchange.header('idempotency-key') : undefined
    if (key === undefined) {
      const { result } = await until(context.signal, invoked(request))
      if (isRead) holdAnswer(request, result)
      return result
    }
    checkedKey(key)
    check(method.input, message) // The answer to an invalid request is not stored.
    const keyed = { key, fingerprint: fingerprintOf(method, message), isSecret: answer.secret }
    return await until(context.signal, keyedAnswer(request, keyed))
  }

  /** A large answer counts as its caller's until it is sent, as in REST. */
  function holdAnswer({ exchange, caller }: UnaryRequest, result: Message): void {
    const { length } = toBinary(method.output, result)
    if (length > SMALL_ANSWER) exchange.hold(deps.answers.acquire(caller, length))
  }
}

/** Bytes, as `send.ts` has it. */
const SMALL_ANSWER = 16_384

/** Waits for a resource. A gateway that stops answers with the resource as it then is. */
export function waitMethod({ desc: method }: RouteOf<'json'>, { transport, waits }: JsonDeps): Unary {
  return async (message, context) => {
    const { exchange, caller } = callOf(context)
    const { timeoutMs: waitMs = 0 } = message as Message & { readonly timeoutMs?: number }
    const values = callValues(caller, exchange)
    const ask = async (request: Record<string, unknown>, ms: number, signal: AbortSignal) => {
      const leftMs = Math.max(1, Math.min(ms, context.timeoutMs() ?? Number.POSITIVE_INFINITY))
      return (await transport.unary(method, signal, leftMs, undefined, request, values)).message
    }
    exchange.isTimed = false
    using _ = waits.acquire(caller)
    using open = waits.open()
    try {
      const ms = waitMs === 0 ? CALL_MS : waitMs + ANSWER_MS
      return await ask({ ...message }, ms, AbortSignal.any([context.signal, open.signal]))
    } catch (error) {
      if (!open.signal.aborted || context.signal.aborted) throw error
      return await ask({ ...message, timeoutMs: 0 }, CALL_MS, context.signal)
    }
  }
}

/** What the work gives, unless the signal ends before. Then the work goes on by itself. */
async function until<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let end: (() => void) | undefined
  const ended = new Promise<never>((_, reject) => {
    end = () => reject(signal.reason ?? fail('unavailable', 'The call has ended.'))
    signal.addEventListener('abort', end)
  })
  work.catch(() => {})
  try {
    return await Promise.race([work, ended])
  } finally {
    if (end !== undefined) signal.removeEventListener('abort', end)
  }
}
