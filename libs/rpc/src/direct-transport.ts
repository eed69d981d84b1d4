/** Calls between services in one process: no network, no serialization, no copies. */
import { create, type DescMethod, type DescService, type Message } from '@bufbuild/protobuf'
import type { Interceptor, ServiceImpl, StreamResponse, Transport, UnaryResponse } from '@connectrpc/connect'
import { Call } from './call.ts'
import { openStream, requestStream } from './direct-stream.ts'
import { createEndpoint, type Endpoint, UnaryAnswer } from './endpoint.ts'
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
      const call = new Call(method, header, values)
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
      const call = new Call(method, header, values)
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
