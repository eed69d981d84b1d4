/** The public methods as handlers of Connect: admitted by the rules of REST, and answered by the same services. */
import type { DescMethod, DescService } from '@bufbuild/protobuf'
import { type ConnectRouter, createConnectRouter, type HandlerContext } from '@connectrpc/connect'
import type { UniversalHandler } from '@connectrpc/connect/protocol'
import { codeOf, isOurs, type Route, retryAfterOf } from '@millhand/api'
import type { Clock, Health } from '@millhand/process'
import { binaryOptions, healthService, reflectionService } from '@millhand/rpc/network'
import { type Log, traceIds } from '@millhand/telemetry'
import { Concurrency } from '../admission/concurrency.ts'
import { addDeprecation } from '../deprecation.ts'
import { createAdmit, type PipelineDeps } from '../pipeline/pipeline.ts'
import { admissionSpan, traceHeaders } from '../request-trace.ts'
import { bodyLimitOf } from '../transcode/json-body.ts'
import { tooLarge } from '../transcode/read-body.ts'
import { publicError } from './public-error.ts'
import { ENVELOPE_BYTES } from './request-body.ts'
import { callOf } from './rpc-call.ts'
import { isWait, rpcRoutes } from './rpc-routes.ts'
import { downloadMethod, eventsMethod, uploadMethod } from './streaming.ts'
import { unaryMethod, waitMethod } from './unary.ts'

export interface RpcDeps extends PipelineDeps {
  readonly services: readonly DescService[]
  /** Those of the services. */
  readonly routes: readonly Route[]
  readonly health: Health
  readonly clock: Clock
  readonly log: Log
}

/** A method at its path. */
export interface RpcMethod {
  readonly handler: UniversalHandler
  /** The most bytes of a request; undefined for files, which are counted as they come. */
  readonly requestBytes: number | undefined
  /** Whether its answers count in the targets of `/status`, but for those of the sandbox. */
  readonly isMeasured: boolean
}

/** Of a request that REST has in its path and query: as long as the head of a request may be there, and some more. */
const QUERY_BYTES = 65_536
/** Of one message of a file. */
const PART_BYTES = 4 * 1_048_576
/** Of any other request. */
const MOST_BYTES = 64 * 1_048_576

/** By path. `/grpc.health.v1.Health` and reflection are answered without a key, and know the public services alone. */
export function rpcMethods(deps: RpcDeps): ReadonlyMap<string, RpcMethod> {
  const { services, health, clock } = deps
  const routes = new Map<DescMethod, Route>(rpcRoutes(services, deps.routes).map(route => [route.desc, route]))
  const admits = new Map([...routes].map(([method, route]) => [method, admission(route, deps)]))
  const anonymous = new Concurrency('calls without a key', { perTenant: ANONYMOUS, all: ALL_ANONYMOUS })

  const router = createConnectRouter({
    // A compressed message can be a thousand times as large as what is sent.
    acceptCompression: [],
    binaryOptions,
    requestGate: context =>
      guarded(deps.log, context, async () => {
        const { exchange } = callOf(context)
        const requestBytes = requestBytesOf(routes.get(context.method))
        if ((exchange.bodyLength ?? 0) > (requestBytes ?? Number.POSITIVE_INFINITY) + ENVELOPE_BYTES) {
          throw tooLarge(requestBytes as number)
        }
        const admit = admits.get(context.method)
        if (admit !== undefined) return await admit(context)
        exchange.isTimed = false
        exchange.hold(anonymous.acquire({ tenant: exchange.peer }))
      }),
  })
  for (const route of routes.values()) serveRoute(router, route, deps)
  const served = () => [...new Set(router.handlers.map(({ service }) => service))]
  healthService({ health, services: () => served().map(({ typeName }) => typeName), clock })(router)
  reflectionService(served)(router)
  return new Map(
    router.handlers.map(handler => [
      handler.requestPath,
      {
        handler,
        requestBytes: requestBytesOf(routes.get(handler.method)),
        isMeasured: routes.has(handler.method),
      },
    ]),
  )
}

/** Of each address, and of all together. */
const ANONYMOUS = 100
const ALL_ANONYMOUS = 2_000

function requestBytesOf(route: Route | undefined): number | undefined {
  if (route?.kind === 'upload') return undefined
  return route?.body === '*' ? bodyLimitOf(route) : QUERY_BYTES
}

/** The steps of REST before the body: authenticate, rate limit, authorize. */
function admission(route: Route, deps: PipelineDeps): (context: HandlerContext) => Promise<void> {
  const admit = createAdmit(route, deps)
  return async context => {
    const call = callOf(context)
    const { exchange } = call
    if (route.deprecated !== undefined) addDeprecation(exchange, route.deprecated)
    const span = admissionSpan(exchange)
    try {
      call.caller = await deps.authenticate(exchange)
      await admit(call)
    } catch (error) {
      span?.end(codeOf(error))
      throw error
    }
    span?.end()
    if (route.kind !== 'json') exchange.isTimed = false
    if (route.body !== '*' || route.kind === 'upload') return
    let permit: ReturnType<Concurrency['acquire']> | undefined
    call.count = bytes => {
      if (permit !== undefined) return permit.growTo(bytes)
      permit = deps.bodies.acquire(call.caller, bytes)
      exchange.hold(permit)
    }
  }
}

/** Without the types of messages, which only the descriptor knows. */
interface ErasedRouter {
  rpc(method: DescMethod, impl: (request: never, context: HandlerContext) => unknown, options: object): unknown
}

function serveRoute(router: ConnectRouter, route: Route, deps: RpcDeps): void {
  const { log } = deps
  const on = router as unknown as ErasedRouter
  // The body is counted as it comes, and what is too large is refused with a code of the catalogue.
  const limit = { readMaxBytes: route.kind === 'upload' ? PART_BYTES : 2 * MOST_BYTES }
  switch (route.kind) {
    case 'json': {
      const unary = isWait(route) ? waitMethod(route, deps) : unaryMethod(route, deps)
      on.rpc(route.desc, (request, context) => guarded(log, context, () => unary(request, context)), limit)
      return
    }
    case 'upload': {
      const upload = uploadMethod(route, deps)
      on.rpc(route.desc, (requests, context) => guarded(log, context, () => upload(requests, context)), limit)
      return
    }
    case 'download':
    case 'events': {
      const stream = route.kind === 'events' ? eventsMethod(route, deps) : downloadMethod(route, deps)
      on.rpc(route.desc, (request, context) => guardedStream(log, context, stream(request, context)), limit)
    }
  }
}

/** Fails with what the caller may know; the log has the rest. */
async function guarded<T>(log: Log, context: HandlerContext, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw failed(log, context, error)
  }
}

async function* guardedStream(log: Log, context: HandlerContext, messages: AsyncIterable<object>) {
  try {
    yield* messages
  } catch (error) {
    throw failed(log, context, error)
  }
}

function failed(log: Log, context: HandlerContext, error: unknown) {
  const call = callOf(context)
  call.failure = error
  const retryAfterS = retryAfterOf(error)
  if (retryAfterS !== undefined) call.exchange.addHeader('Retry-After', String(retryAfterS))
  const trace = traceHeaders(call.exchange)
  for (let at = 0; at < trace.length; at += 2) call.exchange.addHeader(trace[at] as string, trace[at + 1] as string)
  const { method, signal } = context
  // Where its caller has gone, nobody is answered.
  if (isOurs(error) && !(signal.aborted && error === signal.reason)) {
    const level = codeOf(error) === 'internal' ? 'error' : 'warn'
    log[level]('request.failed', {
      request_id: call.exchange.requestId,
      ...traceIds(call.exchange.trace),
      method: `${method.parent.typeName}/${method.name}`,
      error,
    })
  }
  return publicError(error)
}
