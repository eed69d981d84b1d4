/** From a request to what answers it, and from what went wrong to its answer. */
import { fail, isOurs } from '@millhand/api'
import type { Log } from '@millhand/telemetry'
import createRouter from 'find-my-way'
import { answerOptions } from './cors.ts'
import { CallerGone, type Exchange } from './exchange.ts'
import { createHeadCheck } from './head.ts'
import { sendProblem } from './problem.ts'
import type { RequestCounts } from './status/request-counts.ts'

/** What answers one method on one path. */
export interface Endpoint {
  readonly method: HttpMethod
  /** As `find-my-way` has it, such as `/v1/tasks/:id`. */
  readonly pattern: string
  /** Whether its answers count in the targets of `/status`, but for those of the sandbox. */
  readonly isMeasured?: true
  /** `params` are the decoded parts of the path, `query` is the raw text after `?`. What it throws becomes a problem. */
  handle(exchange: Exchange, params: Params, query: string): void | Promise<void>
}

type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Params = Readonly<Record<string, string | undefined>>

export interface DispatchDeps {
  readonly log: Log
  readonly counts: RequestCounts
}

/** Answers every exchange by the endpoint that it asks for; never rejects. */
export function createDispatch(
  endpoints: readonly Endpoint[],
  { log, counts }: DispatchDeps,
): (exchange: Exchange) => Promise<void> {
  const router = createRouter({ maxParamLength: 512, querystringParser: keepRaw })
  for (const endpoint of endpoints) router.on(endpoint.method, endpoint.pattern, () => {}, endpoint)
  /** The endpoint of a path; a part of it that is empty is no value. */
  const find = (method: string, path: string) => {
    const found = router.find(method as HttpMethod, path)
    if (found !== null) for (const name in found.params) if (found.params[name] === '') return null
    return found
  }
  const checkHead = createHeadCheck()
  const methods = [...new Set(endpoints.map(({ method }) => method))]

  /** The methods of a path, `HEAD` and `OPTIONS` included; none where there is no such path. */
  const allowedOn = (path: string): string[] => {
    const found: string[] = methods.filter(method => find(method, path) !== null)
    if (found.includes('GET')) found.push('HEAD')
    return found.length === 0 ? found : [...found, 'OPTIONS']
  }

  function answerOther(exchange: Exchange) {
    const { method, url = '/' } = exchange.req
    if (method === 'OPTIONS' && url === '*') return answerOptions(exchange, [...methods, 'HEAD', 'OPTIONS'])
    const allowed = allowedOn(url)
    if (allowed.length === 0) throw fail('unknown_route', 'There is nothing at this path.')
    if (method === 'OPTIONS') return answerOptions(exchange, allowed)
    const allow = allowed.join(', ')
    throw fail('method_not_allowed', `This path answers ${allow}.`, { metadata: { allow } })
  }

  return async exchange => {
    const { req } = exchange
    const started = performance.now()
    let endpoint: Endpoint | undefined
    try {
      checkHead(req)
      const found = find(exchange.method, req.url as string)
      if (found === null) answerOther(exchange)
      else {
        endpoint = found.store as Endpoint
        // Most answer later; what answers at once need not wait for the next turn.
        const answered = endpoint.handle(exchange, found.params, rawQuery(found.searchParams))
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
      counts.add(status, exchange.isTimed && !exchange.takesItsTime ? ms - exchange.bodyMs : undefined)
    }
    log.debug('request.answered', { request_id: requestId, method: req.method, path, status, ms })
  }
}

/** Queries are read by the method's own reader, which knows what may be in them. */
const keepRaw = (query: string) => query as unknown as Record<string, string>
const rawQuery = (query: object) => query as unknown as string

/** 500 is a fault of ours; the others tell of something that is away or too slow. */
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
