/** The trace of a request, from its route to the end of its answer. */
import { attributes, parseTraceContext, type Span, spans, startSpan, tracer } from '@millhand/telemetry'
import type { Exchange } from './exchange.ts'
import type { Endpoint } from './pipeline/match.ts'

/**
 * Begins the request's trace or goes on with the caller's, by its `traceparent` and `tracestate`; the span is undefined
 * where traces are off or this one is not sampled. Pages and health checks have none.
 */
export function beginTrace(exchange: Exchange, { pattern, isMeasured }: Endpoint): Span | undefined {
  const active = tracer()
  if (active === undefined || !isMeasured) return undefined
  const { method = 'GET' } = exchange.req
  const route = pattern.replaceAll(PARAMETER, '{$1}')
  const parent = parseTraceContext(exchange.header('traceparent'), exchange.header('tracestate'))
  const { context, span } = active.root(`${method} ${route}`, parent, {
    kind: 'server',
    attributes: {
      [attributes.requestMethod]: method,
      [attributes.route]: route,
      [attributes.urlPath]: exchange.path,
      [attributes.urlScheme]: 'http',
      [attributes.requestId]: exchange.requestId,
    },
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

/** The span of a request's admission. */
export const admissionSpan = ({ trace }: Exchange): Span | undefined => startSpan(spans.admission, trace)

/** As the router has it: `/v1/tasks/:id`. */
const PARAMETER = /:(\w+)/g
