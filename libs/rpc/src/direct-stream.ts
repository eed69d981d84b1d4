/** Streaming calls in one process. Both sides are pulled: nobody makes a message before the other asks for it. */
import { create, type DescMessage, type Message } from '@bufbuild/protobuf'
import { Code, ConnectError, type StreamResponse } from '@connectrpc/connect'
import type { Call } from './call.ts'
import type { Handler } from './handler.ts'

/**
 * Starts the handler and answers once its first message, its end or its error is there: what it does to the response
 * header before is then to be seen, as over a network.
 */
export async function openStream(
  call: Call,
  handle: Handler,
  requests: AsyncIterable<Message>,
): Promise<StreamResponse> {
  const source = (await answers(call, handle, requests))[Symbol.asyncIterator]()
  stopWithCall(call, source)

  const pull = async (): Promise<IteratorResult<Message>> => {
    try {
      call.throwIfCancelled()
      if (call.over) return { done: true, value: undefined }
      const next = await call.until(source.next())
      if (!next.done) return { done: false, value: create(call.method.output, next.value) }
      call.end()
      return { done: true, value: undefined }
    } catch (reason) {
      call.end()
      throw call.failure(reason)
    }
  }

  let first: Promise<IteratorResult<Message>> | undefined = pull()
  await first.catch(() => {})
  const message: AsyncIterableIterator<Message> = {
    async next() {
      call.throwIfCancelled()
      const result = first ?? pull()
      first = undefined
      return await result
    },
    async return() {
      call.end()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]: () => message,
  }
  return {
    stream: true,
    service: call.service,
    method: call.method,
    header: call.responseHeader,
    trailer: call.responseTrailer,
    message,
  } as StreamResponse
}

/** The caller's messages as the handler sees them: they end with an error as soon as the call is cancelled. */
export function requestStream(call: Call, desc: DescMessage, input: AsyncIterable<unknown>): AsyncIterable<Message> {
  const source = input[Symbol.asyncIterator]()
  stopWithCall(call, source)
  const message: AsyncIterableIterator<Message> = {
    async next() {
      call.throwIfCancelled()
      if (call.over) return { done: true, value: undefined }
      const next = await call.until(source.next())
      return next.done ? next : { done: false, value: create(desc, next.value as Message) }
    },
    async return() {
      await source.return?.()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]: () => message,
  }
  return message
}

async function answers(call: Call, handle: Handler, requests: AsyncIterable<Message>): Promise<AsyncIterable<Message>> {
  switch (call.method.methodKind) {
    case 'server_streaming':
      return handle(await only(requests), call) as AsyncIterable<Message>
    case 'bidi_streaming':
      return handle(requests, call) as AsyncIterable<Message>
    default: {
      const answer = handle(requests, call) as Promise<Message>
      // A call that is cancelled before its answer is asked for has nobody who hears how that ended.
      Promise.resolve(answer).catch(() => {})
      return one(answer)
    }
  }
}

async function only(requests: AsyncIterable<Message>): Promise<Message> {
  for await (const request of requests) return request
  throw new ConnectError('protocol error: missing request message', Code.Unimplemented)
}

async function* one(message: Promise<Message>): AsyncGenerator<Message> {
  yield await message
}

/** A generator that waits at a `yield` does not see a signal: it is returned, so that its `finally` runs. */
function stopWithCall(call: Call, source: AsyncIterator<unknown>): void {
  const stop = () => {
    source.return?.().catch(() => {})
  }
  call.signal.addEventListener('abort', stop, { once: true })
}
