/** The trace of a request, from its route to the end of its answer. */
import type { DescMethod } from '@bufbuild/protobuf'
import { callSpan, endFailedCall } from '@millhand/rpc'
import {
  attributes,
  parseTraceContext,
  type Span,
  type SpanDescription,
  spans,
  startSpan,
  type Tracer,
  traceparentOf,
  tracer,
} from '@millhand/telemetry'
import type { Exchange } from './exchange.ts'
import type { Inbound } from './inbound.ts'
import type { Endpoint } from './pipeline/match.ts'
import { routeName } from './route-name.ts'

/**
 * Begins the request's trace or goes on with the caller's, by its `traceparent` and `tracestate`; the span is undefined
 * where traces are off or this one is not sampled. Pages and health checks have none.
 */
export function beginTrace(exchange: Exchange, { pattern, isMeasured }: Endpoint): Span | undefined {
  const active = tracer()
  if (active === undefined || !isMeasured) return undefined
  return begin(active, exchange, () => {
    const { method = 'GET' } = exchange.head
    const route = routeName(pattern)
    return {
      name: `${method} ${route}`,
      attributes: {
        [attributes.requestMethod]: method,
        [attributes.route]: route,
        [attributes.urlPath]: exchange.path,
        [attributes.urlScheme]: 'http',
      },
    }
  })
}

/** The same for a call of gRPC, gRPC-Web or Connect. */
export function beginCallTrace(exchange: Inbound, method: DescMethod): Span | undefined {
  const active = tracer()
  if (active === undefined) return undefined
  return begin(active, exchange, () => callSpan(method))
}

function begin(active: Tracer, exchange: Inbound, describe: () => SpanDescription): Span | undefined {
  const parent = parseTraceContext(exchange.header('traceparent'), exchange.header('tracestate'))
  const { context, span } = active.root(parent, () => {
    const { name, attributes: told } = describe()
    return { name, kind: 'server', attributes: { ...told, [attributes.requestId]: exchange.requestId } }
  })
  exchange.trace = context
  return span
}

/** The answer is sent, or there is none. */
export function endTrace(span: Span, { status, mode }: Exchange): void {
  if (mode !== undefined) span.set({ [attributes.mode]: mode })
  if (status > 0) span.set({ [attributes.statusCode]: status })
  // An error of the caller is none of the server: OpenTelemetry's conventions for HTTP.
  if (status >= 500) span.end(String(status))
  else if (status <= 0) span.end('caller_gone')
  else span.end()
}

/** The same for a call, which failed with `failure`; `isAnswered`: the caller has all of the answer. */
export function endCallTrace(span: Span, { mode }: Inbound, failure: unknown, isAnswered: boolean): void {
  if (mode !== undefined) span.set({ [attributes.mode]: mode })
  if (failure !== undefined) endFailedCall(span, failure)
  else if (isAnswered) span.end()
  else span.end('caller_gone')
}

/** Headers, name and value in turn, that name the trace in the answer to a request that failed; none where traces are off. */
export function traceHeaders({ trace }: Pick<Inbound, 'trace'>): readonly string[] {
  if (trace === undefined) return none
  const { state } = trace
  return ['traceparent', traceparentOf(trace), ...(state === undefined ? none : ['tracestate', state])]
}

const none: readonly string[] = []

/** The span of a request's admission. */
export const admissionSpan = ({ trace }: Pick<Inbound, 'trace'>): Span | undefined => startSpan(spans.admission, trace)
