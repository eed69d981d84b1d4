/**
 * The way of a request that a method of the contract answers, from top to bottom. Each step is the file of its name:
 *
 *   match, authenticate, rate-limit, authorize, parse, idempotency (begin or replay), call, prefer-wait,
 *   conditional-answer, send
 *
 * Requests of JSON go all of it. Uploads, downloads and event streams have other steps from `parse` on, in their folders.
 * A step that fails ends the request: `dispatch.ts` answers with the problem.
 */
import { codeOf, type Route, type RouteOf } from '@millhand/api'
import type { Concurrency } from '../admission/concurrency.ts'
import type { RateLimiter } from '../admission/rate-limit/limiter.ts'
import { type DownloadDeps, downloadResponder } from '../download/download.ts'
import { CallerGone } from '../exchange.ts'
import type { Outcome } from '../idempotency/replay.ts'
import type { Authenticated } from '../inbound.ts'
import { problemOfFailure } from '../problem.ts'
import { admissionSpan } from '../request-trace.ts'
import type { Streams } from '../streams/event-streams.ts'
import { createdEvents } from '../streams/stream-on-create.ts'
import { createTokenAuthenticate, type TokenDeps } from '../streams/stream-tokens.ts'
import { type EventsDeps, eventsResponder } from '../streams/task-events.ts'
import { locationOf } from '../transcode/location.ts'
import { type UploadDeps, uploadResponder } from '../upload/upload.ts'
import type { Authenticate } from './authenticate.ts'
import { authorize } from './authorize.ts'
import type { Message } from './call.ts'
import { createConditionalAnswer } from './conditional-answer.ts'
import { RequestContext, type Responder } from './context.ts'
import { createInvoke, type InvokeDeps } from './invoke.ts'
import { createIdempotent } from './keyed-request.ts'
import type { Handle } from './match.ts'
import { createParse } from './parse.ts'
import type { Waits } from './prefer-wait.ts'
import { renditionResponder } from './renditions.ts'
import { createLimit } from './request-weight.ts'
import { createSend } from './send.ts'

export interface PipelineDeps extends AdmitDeps, JsonDeps, UploadDeps, DownloadDeps, EventsDeps, TokenDeps {
  readonly authenticate: Authenticate
}

/** Answers the requests of a route, which `match` has found. */
export function createPipeline(route: Route, deps: PipelineDeps): Handle {
  const authenticate = route.kind === 'events' ? createTokenAuthenticate(route, deps) : undefined
  const admit = createAdmit(route, deps)
  const respond = responderOf(route, deps)

  return async (exchange, params, query) => {
    const context = new RequestContext(exchange, params, query)
    const span = admissionSpan(exchange)
    try {
      const caller = authenticate === undefined ? deps.authenticate(exchange) : authenticate(context)
      context.caller = caller instanceof Promise ? await caller : caller
      const admitted = admit(context)
      if (admitted !== undefined) await admitted
    } catch (error) {
      span?.end(codeOf(error))
      throw error
    }
    span?.end()
    return respond(context)
  }
}

export interface AdmitDeps {
  readonly limiter: RateLimiter
  /** Requests without an answer; event streams have a limit of their own. */
  readonly requests: Concurrency
}

/** Limits and authorizes a caller that is authenticated; no promise where the rate is known here. Fails with 429 or 403. */
export function createAdmit(
  route: Route,
  { limiter, requests }: AdmitDeps,
): (context: Authenticated) => void | Promise<void> {
  const limit = createLimit(route, limiter)

  function permit({ exchange, caller }: Authenticated): void {
    authorize(caller, route.access.scope)
    if (route.kind !== 'events') exchange.hold(requests.acquire(caller))
  }

  return context => {
    context.exchange.mode = context.caller.mode
    const counted = limit.request(context)
    return counted instanceof Promise ? counted.then(() => permit(context)) : permit(context)
  }
}

function responderOf(route: Route, deps: PipelineDeps): Responder {
  switch (route.kind) {
    case 'json': {
      const json = jsonResponder(route, deps)
      return route.answer.renderedBy === '' ? json : renditionResponder(route, json, deps)
    }
    case 'upload':
      return uploadResponder(route, deps)
    case 'download':
      return downloadResponder(route, deps)
    case 'events':
      return eventsResponder(route, deps)
  }
}

export interface JsonDeps extends InvokeDeps {
  readonly limiter: RateLimiter
  readonly waits: Waits
  readonly streams: Streams
  /** The bytes of bodies, each until its request is answered, or until its event stream begins. */
  readonly bodies: Concurrency
  /** The bytes of large answers to reads, each until it is sent. */
  readonly answers: Concurrency
}

/** The steps of a request of JSON after admission. */
export function jsonResponder(route: RouteOf<'json'>, deps: JsonDeps): Responder {
  const { desc: method, answer } = route
  const invoke = createInvoke(route, deps)
  const events = answer.stream ? createdEvents(route, deps.streams) : undefined
  const wait = answer.wait ? deps.waits.of(method) : undefined
  const limit = createLimit(route, deps.limiter)
  const parse = createParse(route, { limit, bodies: deps.bodies, events, canWait: wait !== undefined })
  const idempotent = createIdempotent<RequestContext>(deps.idempotency, { perform, failureOf: problemOfFailure })
  const conditionalAnswer = createConditionalAnswer(route)
  const send = createSend(route, deps.answers, events)
  const location = answer.location === '' ? undefined : locationOf(answer.location, method.output)
  const isRead = route.method === 'GET'

  return respond

  async function respond(context: RequestContext): Promise<void> {
    using _ = context
    await parse(context)
    if (context.wantsEvents) context.streamPermit = events?.admit(context.caller)
    else if (context.waitS > 0) context.waitPermit = deps.waits.acquire(context.caller)
    const reply =
      context.keyed === undefined ? (await perform(context)).reply : await idempotent(context, context.keyed)
    return send(context, reply)
  }

  /** From `call` to the conditional answer: the steps that an idempotency key does once. `operation` is the id of that. */
  async function perform(context: RequestContext, operation?: string): Promise<Outcome> {
    const { caller, headers } = context
    const begin = wait !== undefined && context.waitS > 0 && !isRead ? () => wait.begin(context) : undefined
    context.result = await invoke(context, operation, { begin })
    if (location !== undefined) headers.push('Location', location(context.result))
    if (context.wantsEvents) {
      return { reply: { kind: 'events', status: answer.status, headers, resourceId: idOf(context.result) } }
    }

    if (wait === undefined) return { reply: conditionalAnswer.replyTo(context) }
    if (context.waitS > 0) {
      if (conditionalAnswer.hasChanged(context)) context.hasWaited = true
      else await waitForEnd(context, operation)
      if (context.hasWaited) headers.push('Preference-Applied', 'wait')
    }
    const scope = context.hasWaited || hasEnded(context.result) ? wait.scope : undefined
    if (scope !== undefined) authorize(caller, scope)
    return { reply: conditionalAnswer.replyTo(context), scope }
  }

  /** A keyed operation is completed whether its caller stays or not. */
  async function waitForEnd(context: RequestContext, operation: string | undefined): Promise<void> {
    try {
      await wait?.until(context, isRead)
    } catch (error) {
      if (operation === undefined || !(error instanceof CallerGone)) throw error
      context.hasWaited = true
    }
  }
}

/** Whether the answer shows the end of the resource: that needs the same scope as to wait for it. */
export const hasEnded = (message: Message) => (message as { readonly finishedAt?: object }).finishedAt !== undefined

const idOf = (message: Message) => (message as Message & { readonly id: string }).id
