/** Calls between services in one process: no network, no serialization, no copies. */

import { create, type DescMethod, type DescService, type Message } from '@bufbuild/protobuf'
import type {
  Interceptor,
  ServiceImpl,
  StreamRequest,
  StreamResponse,
  Transport,
  UnaryRequest,
  UnaryResponse,
} from '@connectrpc/connect'
import { Call, protocols } from './call.ts'
import { openStream, requestStream } from './direct-stream.ts'
import { type Handler, notImplemented } from './handler.ts'

/** What services register themselves with: this transport, or a ConnectRouter. */
export interface Routes {
  service<S extends DescService>(desc: S, impl: Partial<ServiceImpl<S>>): unknown
}

export interface DirectTransport extends Transport, Routes {
  /** Serves a service, once. A method without an implementation answers `unimplemented`. */
  service<S extends DescService>(desc: S, impl: Partial<ServiceImpl<S>>): this
}

export interface DirectTransportOptions {
  /** Wrap every call, the first outermost. */
  readonly interceptors?: readonly Interceptor[]
  /** For tests: its callers count as other processes, which outlive this one. */
  readonly standsForNetwork?: boolean
}

/**
 * A transport whose calls invoke the handler of the service directly.
 *
 * Messages and context values pass by reference: neither side changes a message that it has sent or received. Errors
 * are what a network transport would make of them: a ConnectError as it is, any other as `internal` without its
 * message, which stays in `cause`. A deadline or an abort rejects the call at once and fires the handler's signal.
 */
export function createDirectTransport(options: DirectTransportOptions = {}): DirectTransport {
  const endpoints = new Map<DescMethod, Endpoint>()
  const interceptors = options.interceptors ?? []
  const protocol = options.standsForNetwork ? protocols.standsForNetwork : protocols.inProcess
  const endpointOf = (method: DescMethod): Endpoint => {
    const endpoint = endpoints.get(method)
    if (endpoint === undefined) throw notImplemented(method)
    return endpoint
  }

  const transport: Erased = {
    service(desc, impl) {
      for (const method of desc.methods) {
        if (endpoints.has(method)) throw new Error(`${desc.typeName} is served twice`)
        const handle = impl[method.localName]
        if (handle) endpoints.set(method, createEndpoint(handle.bind(impl), interceptors))
      }
      return transport
    },

    async unary(method, signal, timeoutMs, header, input, values) {
      const call = new Call(method, header, values, protocol)
      try {
        const { handle, intercepted } = endpointOf(method)
        const request = create(method.input, input)
        if (signal === undefined && timeoutMs === undefined && intercepted === undefined) {
          return new UnaryAnswer(call, (await handle(request, call)) as Message)
        }
        call.limit(signal, timeoutMs)
        call.throwIfCancelled()
        if (intercepted) return await call.until(intercepted(call, request))
        return new UnaryAnswer(call, await call.until(handle(request, call) as Message))
      } catch (reason) {
        throw call.failure(reason)
      } finally {
        call.end()
      }
    },

    async stream(method, signal, timeoutMs, header, input, values) {
      const call = new Call(method, header, values, protocol)
      try {
        const { handle, intercepted } = endpointOf(method)
        call.limit(signal, timeoutMs)
        call.throwIfCancelled()
        const requests = requestStream(call, method.input, input)
        const opened = intercepted?.(call, requests) ?? openStream(call, handle, requests)
        return (await call.until(opened)) as StreamResponse
      } catch (reason) {
        call.end()
        throw call.failure(reason)
      }
    },
  }
  return transport as unknown as DirectTransport
}

/** The transport without its generics, which tie the types of messages to a method that only the caller knows. */
interface Erased {
  service(desc: DescService, impl: Record<string, Handler | undefined>): Erased
  unary(
    method: DescMethod,
    ...rest: Rest<Parameters<Transport['unary']>>
  ): Promise<UnaryAnswer | UnaryResponse | StreamResponse>
  stream(method: DescMethod, ...rest: Rest<Parameters<Transport['stream']>>): Promise<StreamResponse>
}

type Rest<P extends unknown[]> = P extends [unknown, ...infer R] ? R : never

/** A method with its implementation, as a transport in this process calls it. */
interface Endpoint {
  readonly handle: Handler
  /** The handler within the interceptors; absent where there are none, so that they cost nothing. */
  readonly intercepted?: (call: Call, request: Message | AsyncIterable<Message>) => Promise<Response>
}

type Request = UnaryRequest | StreamRequest
type Response = UnaryResponse | StreamResponse

function createEndpoint(handle: Handler, interceptors: readonly Interceptor[]): Endpoint {
  if (interceptors.length === 0) return { handle }
  const innermost = async (request: Request): Promise<Response> => {
    const call = (request as Intercepted)[callKey]
    call.adopt(request)
    call.throwIfCancelled()
    if (request.stream) return await openStream(call, handle, request.message)
    return interceptedAnswer(call, (await handle(request.message, call)) as Message)
  }
  const chain = interceptors.reduceRight((next, intercept) => intercept(next), innermost)
  return { handle, intercepted: (call, request) => chain(interceptedRequest(call, request)) }
}

/** The answer of a unary call; its headers are made when they are first looked at. */
class UnaryAnswer {
  readonly stream = false
  readonly message: Message
  #call: Call

  constructor(call: Call, message: Message) {
    this.message = create(call.method.output, message)
    this.#call = call
  }
  get service() {
    return this.#call.service
  }
  get method() {
    return this.#call.method
  }
  get header() {
    return this.#call.responseHeader
  }
  get trailer() {
    return this.#call.responseTrailer
  }
}

/** Interceptors may copy a request with `{ ...request }`; the key goes along, and so the call is found again. */
const callKey = Symbol('call')

type Intercepted = Request & { readonly [callKey]: Call }

const interceptedRequest = (call: Call, message: Message | AsyncIterable<Message>) =>
  ({
    [callKey]: call,
    stream: call.method.methodKind !== 'unary',
    service: call.service,
    method: call.method,
    requestMethod: call.requestMethod,
    url: call.url,
    header: call.requestHeader,
    contextValues: call.values,
    signal: call.signal,
    message,
  }) as Intercepted

const interceptedAnswer = (call: Call, message: Message) =>
  ({
    stream: false,
    service: call.service,
    method: call.method,
    header: call.responseHeader,
    trailer: call.responseTrailer,
    message: create(call.method.output, message),
  }) as UnaryResponse
