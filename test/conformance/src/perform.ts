/** Makes the call that a case of the suite wants, and tells what came of it. */
import { create, type DescMessage, fromBinary, type MessageInitShape, type MessageShape } from '@bufbuild/protobuf'
import type { GenMessage } from '@bufbuild/protobuf/codegenv2'
import { type CallOptions, ConnectError, createClient, type Transport } from '@connectrpc/connect'
import { systemClock } from '@millhand/process'
import { type ClientRequest, FULL_DUPLEX, type Payload, type Result, type Suite } from './messages.ts'
import { append, failureOf, linesOf } from './translate.ts'

type Told = MessageInitShape<GenMessage<Result>>

export async function perform(
  { service, payload: none }: Suite,
  transport: Transport,
  wanted: ClientRequest,
): Promise<Told> {
  const client = createClient(service, transport)
  const timing = wanted.cancel?.cancelTiming ?? { case: undefined }
  const calling = new AbortController()
  const cancel = () => calling.abort()

  const payloads: Payload[] = []
  const result: Told = { payloads }
  const heard = createSteps()
  const take = ({ payload }: { payload?: Payload }) => {
    payloads.push(payload ?? create(none))
    if (timing.case === 'afterNumResponses' && payloads.length === timing.value) cancel()
    heard.step()
  }
  /** All is sent. */
  const sent = () => {
    if (wanted.cancel === undefined || timing.case === 'afterNumResponses') return
    setTimeout(cancel, timing.case === 'afterCloseSendMs' ? timing.value : 0)
  }

  const header = new Headers()
  append(wanted.requestHeaders, header)
  const options: CallOptions = {
    headers: header,
    signal: calling.signal,
    ...(wanted.timeoutMs !== undefined && { timeoutMs: wanted.timeoutMs }),
    onHeader: lines => {
      result.responseHeaders = linesOf(lines)
    },
    onTrailer: lines => {
      result.responseTrailers = linesOf(lines)
    },
  }

  /** The one request. */
  const request = <D extends DescMessage>(schema: D): MessageShape<D> => {
    sent()
    return fromBinary(schema, (wanted.requestMessages[0] as { value: Uint8Array }).value)
  }
  async function* requests<D extends DescMessage>(schema: D): AsyncGenerator<MessageShape<D>> {
    for (const [index, { value }] of wanted.requestMessages.entries()) {
      await systemClock.sleep(wanted.requestDelayMs, calling.signal)
      yield fromBinary(schema, value)
      if (wanted.streamType === FULL_DUPLEX) await heard.reach(index + 1)
    }
    if (timing.case === 'beforeCloseSend') cancel()
    else sent()
  }

  const methods: Record<string, () => Promise<void>> = {
    Unary: async () => take(await client.unary(request(service.method.unary.input), options)),
    IdempotentUnary: async () =>
      take(await client.idempotentUnary(request(service.method.idempotentUnary.input), options)),
    Unimplemented: async () => take(await client.unimplemented(request(service.method.unimplemented.input), options)),
    ClientStream: async () => take(await client.clientStream(requests(service.method.clientStream.input), options)),
    ServerStream: async () => {
      for await (const answer of client.serverStream(request(service.method.serverStream.input), options)) take(answer)
    },
    BidiStream: async () => {
      for await (const answer of client.bidiStream(requests(service.method.bidiStream.input), options)) take(answer)
    },
  }
  try {
    await methods[wanted.method]?.()
  } catch (reason) {
    const error = ConnectError.from(reason)
    result.error = failureOf(error)
    // The headers of the answer are in there too, where they came with the error.
    result.responseHeaders ??= linesOf(error.metadata)
    result.responseTrailers = linesOf(error.metadata)
  } finally {
    heard.end()
  }
  return result
}

/** Counts up, and lets others wait for a count. */
function createSteps() {
  let count = 0
  let over = false
  let next = Promise.withResolvers<void>()
  const wake = () => {
    next.resolve()
    next = Promise.withResolvers()
  }
  return {
    step(): void {
      count++
      wake()
    },
    /** Lets everybody go. */
    end(): void {
      over = true
      wake()
    },
    async reach(wanted: number): Promise<void> {
      while (count < wanted && !over) await next.promise
    },
  }
}
