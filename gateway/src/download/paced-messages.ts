/** The messages of a server-streaming method, read on demand. */
import type { DescMethodServerStreaming } from '@bufbuild/protobuf'
import type { ContextValues, Transport } from '@connectrpc/connect'
import { createServiceTimeout } from '../transcode/service-timeout.ts'

/** Fails as the call does, with the reason of `ending`, and with `deadline_exceeded` where the service takes too long for one. */
export async function* pacedMessages(
  transport: Transport,
  method: DescMethodServerStreaming,
  request: Record<string, unknown>,
  values: ContextValues,
  ending: AbortController,
): AsyncGenerator<object> {
  const serviceTimeout = createServiceTimeout(ending)
  serviceTimeout.start()
  try {
    const response = await transport.stream(method, ending.signal, undefined, undefined, only(request), values)
    for await (const message of response.message) {
      serviceTimeout.stop()
      yield message
      serviceTimeout.start()
    }
  } catch (error) {
    throw ending.signal.aborted ? ending.signal.reason : error
  } finally {
    serviceTimeout.stop()
  }
}

async function* only<Message>(message: Message): AsyncGenerator<Message> {
  yield message
}
