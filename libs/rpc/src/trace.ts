/** Calls in traces: the context that a call carries, and a span for each side of it. */
import type { DescMethod, Message } from '@bufbuild/protobuf'
import { Code, type ContextValues, createContextKey, createContextValues, type Transport } from '@connectrpc/connect'
import { attributes, type Span, startSpan, type TraceContext, tracer } from '@millhand/telemetry'
import { asConnectError, type Handler } from './handler.ts'

/** The trace that the call is part of; undefined where traces are off, and in calls that no request caused. */
export const traceKey = createContextKey<TraceContext | undefined>(undefined, { description: 'trace' })

/** A transport with a span for each call of a sampled trace; the transport itself where traces are off. */
export function withClientSpans<T extends Pick<Transport, 'unary' | 'stream'>>(transport: T): T {
  if (tracer() === undefined) return transport
  const begin = (method: DescMethod, values: ContextValues | undefined): Span | undefined => {
    const trace = values?.get(traceKey)
    // Names are made for those that are sampled alone.
    return trace?.isSampled
      ? startSpan(nameOf(method), trace, { kind: 'client', attributes: toldOf(method) })
      : undefined
  }
  const traced: Pick<Transport, 'unary' | 'stream'> = {
    unary(method, signal, timeoutMs, header, input, values) {
      const span = begin(method, values)
      if (span === undefined) return transport.unary(method, signal, timeoutMs, header, input, values)
      return ended(span, transport.unary(method, signal, timeoutMs, header, input, inside(span, values)), isFailure)
    },
    async stream(method, signal, timeoutMs, header, input, values) {
      const span = begin(method, values)
      if (span === undefined) return await transport.stream(method, signal, timeoutMs, header, input, values)
      try {
        const answer = await transport.stream(method, signal, timeoutMs, header, input, inside(span, values))
        return { ...answer, message: spanned(span, answer.message, isFailure, signal) }
      } catch (error) {
        end(span, error, isFailure)
        throw error
      }
    },
  }
  return { ...transport, ...traced }
}

/** A handler with a span for each call of a sampled trace: what it calls and writes is within that. */
export function withServerSpan(method: DescMethod, handle: Handler): Handler {
  if (tracer() === undefined) return handle
  const [name, told] = [nameOf(method), toldOf(method)]
  const isStream = method.methodKind === 'server_streaming' || method.methodKind === 'bidi_streaming'
  return (request, call) => {
    const span = startSpan(name, call.values.get(traceKey), { kind: 'server', attributes: told })
    if (span === undefined) return handle(request, call)
    // The values stay as they are: they are the caller's, who may call again with them.
    const mutable = call as { values: ContextValues }
    mutable.values = inside(span, call.values)
    if (isStream) return spanned(span, handle(request, call) as AsyncIterable<Message>, isServerFault, call.signal)
    return ended(span, (async () => await handle(request, call))(), isServerFault)
  }
}

/** The values of a call that is made within the span. */
const inside = ({ context }: Span, values: ContextValues | undefined): ContextValues =>
  // They are read by `in`, which finds what a prototype has; and there is no other way to copy them.
  (values === undefined ? createContextValues() : (Object.create(values) as ContextValues)).set(traceKey, context)

async function ended<T>(span: Span, work: Promise<T>, isError: (code: Code) => boolean): Promise<T> {
  try {
    const result = await work
    span.end()
    return result
  } catch (error) {
    end(span, error, isError)
    throw error
  }
}

/** Messages of a stream; the span ends with them, and with the call where nobody reads on. */
function spanned<T>(
  span: Span,
  messages: AsyncIterable<T>,
  isError: (code: Code) => boolean,
  signal: AbortSignal | undefined,
): AsyncGenerator<T> {
  let isOver = false
  const finish = (failure?: { readonly error: unknown }) => {
    if (isOver) return
    isOver = true
    signal?.removeEventListener('abort', onAbort)
    if (failure === undefined) span.end()
    else end(span, failure.error, isError)
  }
  const onAbort = () => finish()
  signal?.addEventListener('abort', onAbort)
  return (async function* () {
    try {
      yield* messages
    } catch (error) {
      finish({ error })
      throw error
    } finally {
      finish()
    }
  })()
}

/** What the span of a call of `method` is called, and says of it. */
export const callSpan = (method: DescMethod) => ({ name: nameOf(method), attributes: toldOf(method) })

/** Ends the span of the side that answers a call, which failed with `error`. */
export const endFailedCall = (span: Span, error: unknown): void => end(span, error, isServerFault)

function end(span: Span, error: unknown, isError: (code: Code) => boolean): void {
  const { code } = asConnectError(error)
  const status = (Code[code] ?? 'Unknown').replace(/(?<=.)[A-Z]/g, '_$&').toLowerCase()
  span.set({ [attributes.rpcStatus]: status })
  if (isError(code)) span.end(status)
  else span.end()
}

/** For its caller every code is one. */
const isFailure = (): boolean => true

/** What a caller did wrong is no error of the server (OpenTelemetry's conventions for RPC). */
const isServerFault = (code: Code): boolean => serverFaults.has(code)
const serverFaults: ReadonlySet<Code> = new Set([
  Code.Unknown,
  Code.DeadlineExceeded,
  Code.Unimplemented,
  Code.Internal,
  Code.Unavailable,
  Code.DataLoss,
])

const nameOf = ({ parent, name }: DescMethod): string => `${parent.typeName}/${name}`

const toldOf = (method: DescMethod) => ({
  [attributes.rpcSystem]: 'connectrpc',
  [attributes.rpcMethod]: nameOf(method),
})
