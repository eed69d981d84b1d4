/** The suite's service: answers what a request says, and tells what has come. */
import type { Message, MessageInitShape } from '@bufbuild/protobuf'
import type { GenMessage } from '@bufbuild/protobuf/codegenv2'
import { anyPack } from '@bufbuild/protobuf/wkt'
import type { ConnectError, HandlerContext } from '@connectrpc/connect'
import { systemClock } from '@millhand/process'
import type { Routes } from '@millhand/rpc'
import type { Answers, Failure, Metadata, OneAnswer, RequestInfo, Suite } from './messages.ts'
import { append, errorOf, linesOf } from './translate.ts'

type Info = MessageInitShape<GenMessage<RequestInfo>>

/** Registers it. `Unimplemented` is left to who serves it. */
export function conformanceRoutes({ service, requestInfo }: Suite): (router: Routes) => void {
  const failureOf = (failure: Failure, info: Info | undefined): ConnectError => {
    const error = errorOf(failure)
    if (info) error.details.push({ desc: requestInfo, value: info })
    return error
  }

  const one = async (call: HandlerContext, definition: OneAnswer | undefined, info: Info) => {
    if (definition === undefined) return { payload: { requestInfo: info } }
    sendMetadata(call, definition)
    await systemClock.sleep(definition.responseDelayMs, call.signal)
    const { response } = definition
    if (response.case === 'error') throw failureOf(response.value, info)
    return { payload: { requestInfo: info, ...(response.case && { data: response.value }) } }
  }

  /** `next` has the request that each answer but the first is to wait for. */
  async function* several(
    call: HandlerContext,
    definition: Answers | undefined,
    info: Info,
    next: () => Promise<Message[]> = async () => [],
  ) {
    if (definition === undefined) return
    sendMetadata(call, definition)
    const { responseData, responseDelayMs, error } = definition
    for (const [index, data] of responseData.entries()) {
      const told = index === 0 ? info : { requests: packed(call, await next()) }
      await systemClock.sleep(responseDelayMs, call.signal)
      yield { payload: { data, requestInfo: told } }
    }
    if (responseData.length > 0) await next()
    if (error) throw failureOf(error, responseData.length === 0 ? info : undefined)
  }

  return router =>
    router.service(service, {
      unary: (request, call) => one(call, request.responseDefinition, infoOf(call, [request])),
      idempotentUnary: (request, call) => one(call, request.responseDefinition, infoOf(call, [request])),
      async clientStream(stream, call) {
        const info = infoOf(call)
        const requests = await Array.fromAsync(stream)
        return await one(call, requests[0]?.responseDefinition, { ...info, requests: packed(call, requests) })
      },
      serverStream: (request, call) => several(call, request.responseDefinition, infoOf(call, [request])),
      async *bidiStream(stream, call) {
        const info = infoOf(call)
        const requests = stream[Symbol.asyncIterator]()
        const next = async () => {
          const { done, value } = await requests.next()
          return done ? [] : [value]
        }
        const [first] = await next()
        if (first === undefined) return
        const { fullDuplex, responseDefinition } = first
        const having = (come: Message[]) => ({ ...info, requests: packed(call, come) })
        if (fullDuplex) yield* several(call, responseDefinition, having([first]), next)
        else yield* several(call, responseDefinition, having([first, ...(await Array.fromAsync(stream))]))
      },
    })
}

function sendMetadata(call: HandlerContext, { responseHeaders, responseTrailers }: Metadata): void {
  append(responseHeaders, call.responseHeader)
  append(responseTrailers, call.responseTrailer)
}

/** What has come, and how much time is left now. */
function infoOf(call: HandlerContext, requests: Message[] = []): Info {
  const timeoutMs = call.timeoutMs()
  return {
    requestHeaders: linesOf(call.requestHeader),
    requests: packed(call, requests),
    ...(timeoutMs !== undefined && { timeoutMs: BigInt(Math.round(timeoutMs)) }),
    ...(call.requestMethod === 'GET' && { connectGetInfo: { queryParams: linesOf(new URL(call.url).searchParams) } }),
  }
}

const packed = (call: HandlerContext, requests: Message[]) =>
  requests.map(request => anyPack(call.method.input, request))
