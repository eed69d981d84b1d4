/** Answers requests by their endpoints, and failures by problems; counts and logs both. */
import { isOurs } from '@millhand/api'
import type { Log } from '@millhand/telemetry'
import { CallerGone, type Exchange } from './exchange.ts'
import { createMatch, type Endpoint, queryOf } from './pipeline/match.ts'
import { sendProblem } from './problem.ts'
import { createHeadCheck } from './request-head.ts'
import type { RequestCounts } from './status/request-counts.ts'

export interface DispatchDeps {
  readonly log: Log
  readonly counts: RequestCounts
}

/** Answers every exchange by its endpoint; never rejects. */
export function createDispatch(
  endpoints: readonly Endpoint[],
  { log, counts }: DispatchDeps,
): (exchange: Exchange) => Promise<void> {
  const checkHead = createHeadCheck()
  const match = createMatch(endpoints)

  return async exchange => {
    const { req } = exchange
    const started = performance.now()
    let endpoint: Endpoint | undefined
    try {
      checkHead(req)
      const found = match(exchange)
      if (found !== undefined) {
        endpoint = found.store as Endpoint
        // Most answer later; what answers at once need not wait for the next turn.
        const answered = endpoint.handle(exchange, found.params, queryOf(found))
        if (answered !== undefined) await answered
      }
    } catch (error) {
      if (error instanceof CallerGone) exchange.abandon()
      else if (exchange.status !== 0) {
        exchange.cut()
        log.warn('answer.broken', { request_id: exchange.requestId, method: req.method, path: exchange.path, error })
      } else {
        sendProblem(exchange, error)
        logFailure(exchange, error, log)
      }
    }
    const ms = performance.now() - started
    const { status, requestId, path } = exchange
    if (endpoint?.isMeasured && exchange.mode !== 'test' && status > 0) {
      counts.add(status, exchange.isTimed && !exchange.allowsSlowBody ? ms - exchange.bodyMs : undefined)
    }
    log.debug('request.answered', { request_id: requestId, method: req.method, path, status, ms })
  }
}

/** Logs 500 as an error; 502 to 504 are warnings: a service is away or too slow. */
function logFailure({ req, path, status, requestId }: Exchange, error: unknown, log: Log) {
  if (!isOurs(error)) return
  log[status === 500 ? 'error' : 'warn']('request.failed', {
    request_id: requestId,
    method: req.method,
    path,
    status,
    error,
  })
}
