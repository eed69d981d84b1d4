/** A method with its implementation, as a transport in this process calls it. */
import { create, type Message } from '@bufbuild/protobuf'
import type { Interceptor, StreamRequest, StreamResponse, UnaryRequest, UnaryResponse } from '@connectrpc/connect'
import type { Call } from './call.ts'
import { openStream } from './direct-stream.ts'
import type { Handler } from './handler.ts'

export interface Endpoint {
  readonly handle: Handler
  /** The handler within the interceptors; absent where there are none, so that they cost nothing. */
  readonly intercepted?: (call: Call, request: Message | AsyncIterable<Message>) => Promise<Response>
}

type Request = UnaryRequest | StreamRequest
type Response = UnaryResponse | StreamResponse

export function createEndpoint(handle: Handler, interceptors: readonly Interceptor[]): Endpoint {
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
export class UnaryAnswer {
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
