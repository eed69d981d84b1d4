/** Cross-origin requests of browsers: every origin may call, without cookies. */

/** The part of an exchange that answers `OPTIONS`. */
interface Answering {
  header(name: string): string | undefined
  send(status: number, headers: readonly string[]): unknown
}

/** The headers that let a page of any origin read an answer. */
export const corsHeaders: readonly string[] = [
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  'Accept-Ranges, Allow, Content-Disposition, Content-Range, Deprecation, ETag, Grpc-Message, Grpc-Status, ' +
    'Grpc-Status-Details-Bin, Idempotent-Replayed, Link, Location, Preference-Applied, RateLimit, RateLimit-Policy, Repr-Digest, Retry-After, Sunset, Traceparent, Tracestate, WWW-Authenticate, ' +
    'X-Request-Id, X-Should-Retry',
]

/** Answers `OPTIONS`: a browser's preflight with what it may send, anyone else with the path's methods. */
export function answerOptions(exchange: Answering, methods: readonly string[]) {
  const allow = methods.join(', ')
  const isPreflight =
    exchange.header('origin') !== undefined && exchange.header('access-control-request-method') !== undefined
  exchange.send(204, isPreflight ? ['Access-Control-Allow-Methods', allow, ...preflight] : ['Allow', allow])
}

const preflight = [
  'Access-Control-Allow-Headers',
  'Authorization, Connect-Protocol-Version, Connect-Timeout-Ms, Content-Type, Grpc-Timeout, Idempotency-Key, If-None-Match, ' +
    'If-Range, Last-Event-ID, Prefer, Range, Traceparent, Tracestate, X-Grpc-Web, X-Request-Id, X-User-Agent',
  // Two hours: browsers keep a preflight no longer.
  'Access-Control-Max-Age',
  '7200',
]
