/** Errors as answers: `application/problem+json` (RFC 9457). */
import { headerOf, metadataOf, type ProblemCode, problemOf, retryAfterOf, shouldRetry } from '@millhand/api'
import type { Exchange } from './exchange.ts'
import { type BodyReply, sendBody } from './reply.ts'
import { traceHeaders } from './request-trace.ts'

/** Answers with what went wrong, as far as the caller may know it. */
export function sendProblem(exchange: Exchange, error: unknown) {
  sendBody(exchange, problemReply(exchange, error))
}

/** The same as a reply. */
function problemReply(exchange: Exchange, error: unknown): BodyReply {
  const { requestId, baseUrl, trace } = exchange
  const problem = problemOf(error, requestId, baseUrl)
  return {
    kind: 'body',
    status: problem.status,
    headers: [
      ...['Content-Type', 'application/problem+json', ...traceHeaders(exchange)],
      ...headersOf(error, problem.code, isIdempotent(exchange)),
    ],
    body: JSON.stringify(trace === undefined ? problem : { ...problem, trace_id: trace.traceId }),
  }
}

/** How a failure of a request is kept. */
export const problemOfFailure =
  ({ exchange }: { readonly exchange: Exchange }) =>
  (error: unknown): BodyReply =>
    problemReply(exchange, error)

/** The headers that the catalogue requires for the code, and those of the error's metadata. */
function headersOf(error: unknown, code: ProblemCode, isIdempotent: boolean): string[] {
  const retryAfterS = retryAfterOf(error)
  const headers = retryAfterS === undefined ? [] : ['Retry-After', String(retryAfterS)]
  const retry = shouldRetry(code, isIdempotent)
  if (retry !== undefined) headers.push('X-Should-Retry', String(retry))
  const { allow = '', size = '0', scope } = metadataOf(error)
  switch (headerOf(code)) {
    case 'Allow':
      headers.push('Allow', allow)
      break
    case 'Content-Range':
      headers.push('Content-Range', `bytes */${size}`)
      break
    case 'WWW-Authenticate':
      headers.push('WWW-Authenticate', challenge(code, scope))
  }
  return headers
}

/** Whether the request, sent once more, is done once. */
const isIdempotent = ({ method, head }: Exchange): boolean =>
  method !== 'POST' || head.headers['idempotency-key'] !== undefined

/** RFC 6750, section 3: no error code where no credentials came. */
function challenge(code: ProblemCode, scope: string | undefined): string {
  if (code === 'missing_credentials') return BEARER
  if (code !== 'insufficient_scope') return `${BEARER}, error="invalid_token"`
  return `${BEARER}, error="insufficient_scope"${scope === undefined ? '' : `, scope="${scope}"`}`
}

const BEARER = 'Bearer realm="millhand"'
