/** Calls that stream: events and the contents of files to the caller, files from the caller. */
import type { HandlerContext } from '@connectrpc/connect'
import { fail, type RouteOf } from '@millhand/api'
import { pacedMessages } from '../download/paced-messages.ts'
import { callValues, type Message } from '../pipeline/call.ts'
import type { PipelineDeps } from '../pipeline/pipeline.ts'
import type { WatchRequest } from '../streams/event-streams.ts'
import { tooLarge } from '../transcode/read-body.ts'
import { createServiceTimeout } from '../transcode/service-timeout.ts'
import { only, paced } from '../upload/upload.ts'
import { callOf } from './rpc-call.ts'

export type ServerStream = (request: Message, context: HandlerContext) => AsyncIterable<object>

/** Events as they come. A caller resumes with `after`, the `sequence` of the last event that it has. */
export function eventsMethod({ desc }: RouteOf<'events'>, { streams }: PipelineDeps): ServerStream {
  return async function* watch(message, { signal, values }) {
    const { exchange, caller } = callOf({ values })
    using _ = streams.acquire(caller)
    const request = message as Message & WatchRequest
    yield* streams.messages(desc, { caller, request, values: callValues(caller, exchange), signal })
  }
}

export function downloadMethod({ desc }: RouteOf<'download'>, { transport }: PipelineDeps): ServerStream {
  return async function* download(request, { signal, values }) {
    const { exchange, caller } = callOf({ values })
    const ending = endingWith(signal)
    try {
      yield* pacedMessages(transport, desc, { ...request }, callValues(caller, exchange), ending)
    } finally {
      ending.abort()
    }
  }
}

/** Fails with `payload_too_large` as soon as the file is larger than it may be. */
export function uploadMethod({ desc, parts }: RouteOf<'upload'>, { transport, uploadBytes }: PipelineDeps) {
  const { input } = desc

  async function* counted(requests: AsyncIterable<Message>): AsyncGenerator<Message> {
    let left = uploadBytes
    for await (const request of requests) {
      const { case: kind, value } = (request as unknown as Record<string, Part>)[parts.oneof] as Part
      if (kind === parts.data.localName) left -= (value as Uint8Array).length
      if (left < 0) throw tooLarge(uploadBytes)
      yield { ...request, $typeName: input.typeName }
    }
  }

  return async (requests: AsyncIterable<Message>, { signal, values }: HandlerContext): Promise<Message> => {
    const { exchange, caller } = callOf({ values })
    if (exchange.header('idempotency-key') !== undefined) {
      throw fail(
        'invalid_idempotency_key',
        `${desc.name} takes no idempotency key over RPC: upload with \`POST /v1/files\`.`,
      )
    }
    const ending = endingWith(signal)
    const serviceTimeout = createServiceTimeout(ending)
    try {
      const source = counted(requests)
      const first = await source.next()
      if (first.done) throw fail('missing_parameter', `The call has no ${input.name}.`)
      const sent = paced(first.value, source, serviceTimeout, ending)
      const response = await transport.stream(
        desc,
        ending.signal,
        undefined,
        undefined,
        sent,
        callValues(caller, exchange),
      )
      return (await only(response.message)) as Message
    } catch (error) {
      throw ending.signal.aborted ? ending.signal.reason : error
    } finally {
      serviceTimeout.stop()
    }
  }
}

interface Part {
  readonly case?: string
  readonly value?: unknown
}

/** A controller that ends with a signal, too. */
function endingWith(signal: AbortSignal): AbortController {
  const ending = new AbortController()
  signal.addEventListener('abort', () => ending.abort(signal.reason), { once: true })
  if (signal.aborted) ending.abort(signal.reason)
  return ending
}
