/** From a request to the handler of its route, and from what went wrong to its answer. */
import { fail } from '@millhand/api'
import type { Log } from '@millhand/telemetry'
import createRouter from 'find-my-way'
import { answerOptions } from './cors.ts'
import type { Exchange } from './exchange.ts'
import { sendProblem } from './problem.ts'
import { CallerGone } from './transcode/read-body.ts'

export interface Route {
  readonly method: HttpMethod
  /** `find-my-way`'s pattern, such as `/v1/tasks/:id`. */
  readonly pattern: string
  /** Answers an exchange; `params` are the decoded parts of the path, `query` is the raw text after `?`. */
  handle(exchange: Exchange, params: Params, query: string): void | Promise<void>
}

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Params = Readonly<Record<string, string | undefined>>

/** Answers every exchange by the route it asks for; never rejects. */
export function createDispatch(routes: readonly Route[], log: Log): (exchange: Exchange) => Promise<void> {
  const router = createRouter({ maxParamLength: 512, querystringParser: keepRaw })
  for (const route of routes) router.on(route.method, route.pattern, () => {}, route)
  const methods = [...new Set(routes.map(route => route.method))]

  /** The methods of a path, `HEAD` and `OPTIONS` included; none where there is no such path. */
  const allowedOn = (path: string): string[] => {
    const found: string[] = methods.filter(method => router.find(method, path) !== null)
    if (found.includes('GET')) found.push('HEAD')
    return found.length === 0 ? found : [...found, 'OPTIONS']
  }

  function answerOther(exchange: Exchange) {
    const { method, url = '/' } = exchange.req
    if (method === 'OPTIONS' && url === '*') return answerOptions(exchange, [...methods, 'HEAD', 'OPTIONS'])
    const allowed = allowedOn(url)
    if (allowed.length === 0) throw fail('unknown_route', 'There is nothing at this path.')
    if (method === 'OPTIONS') return answerOptions(exchange, allowed)
    exchange.carry('Allow', allowed.join(', '))
    throw fail('method_not_allowed', `This path answers ${allowed.join(', ')}.`)
  }

  async function answer(exchange: Exchange) {
    const { req } = exchange
    if (req.headers.host === undefined && req.httpVersionMinor > 0) {
      throw fail('invalid_parameter', 'The request has no `Host` header.')
    }
    const found = router.find(exchange.method as HttpMethod, req.url as string)
    if (found === null) answerOther(exchange)
    else await (found.store as Route).handle(exchange, found.params, found.searchParams as unknown as string)
  }

  return async exchange => {
    try {
      await answer(exchange)
    } catch (error) {
      if (error instanceof CallerGone) return
      sendProblem(exchange, error)
      if (exchange.status >= 500) logFailure(exchange, error, log)
    }
  }
}

/** Queries are read by the method's own reader, which knows what may be in them. */
const keepRaw = (query: string) => query as unknown as Record<string, string>

function logFailure({ req, status, requestId }: Exchange, error: unknown, log: Log) {
  log.error('request.failed', { request_id: requestId, method: req.method, path: pathOf(req.url), status, error })
}

/** Without the query, which may hold what nobody should read in a log. */
const pathOf = (url = '') => url.split('?', 1)[0]
