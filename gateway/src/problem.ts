/** Errors as answers: `application/problem+json` (RFC 9457). */
import { problemOf, retryAfterOf } from '@millhand/api'
import type { Exchange } from './exchange.ts'

/** Answers with what went wrong, as far as the caller may know it. */
export function sendProblem(exchange: Exchange, error: unknown) {
  const problem = problemOf(error, exchange.requestId)
  const retryAfter = retryAfterOf(error)
  if (retryAfter !== undefined) exchange.carry('Retry-After', String(retryAfter))
  if (problem.status === 401) exchange.carry('WWW-Authenticate', challenge(problem.code))
  exchange.send(problem.status, headers, JSON.stringify(problem))
}

/** RFC 6750, section 3: no error code where no credentials came. */
const challenge = (code: string) =>
  code === 'missing_credentials' ? 'Bearer realm="millhand"' : 'Bearer realm="millhand", error="invalid_token"'

const headers = [
  'Content-Type',
  'application/problem+json',
  'Cache-Control',
  'no-store',
  'X-Content-Type-Options',
  'nosniff',
]
