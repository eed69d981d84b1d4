/** Step 1: finds the endpoint of a request. */
import { fail } from '@millhand/api'
import createRouter from 'find-my-way'
import { answerOptions } from '../cors.ts'
import type { Exchange } from '../exchange.ts'
import { createNearestPath } from './nearest-path.ts'

/** Answers one method on one path. */
export interface Endpoint {
  readonly method: HttpMethod
  /** As `find-my-way` has it, such as `/v1/tasks/:id`. */
  readonly pattern: string
  /** Whether its answers count in the targets of `/status`, but for those of the sandbox. */
  readonly isMeasured?: true
  readonly handle: Handle
}

/** `params` are the decoded parts of the path, `query` is the raw text after `?`. What it throws becomes a problem. */
export type Handle = (exchange: Exchange, params: Params, query: string) => void | Promise<void>

type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Params = Readonly<Record<string, string | undefined>>

/** Its `store` is the endpoint. */
type Match = NonNullable<ReturnType<ReturnType<typeof createRouter>['find']>>

/**
 * The endpoint of a request; undefined where the request was `OPTIONS` and is answered. Fails with `unknown_route` and
 * `method_not_allowed`.
 */
export function createMatch(endpoints: readonly Endpoint[]): (exchange: Exchange) => Match | undefined {
  const router = createRouter({ maxParamLength: 512, querystringParser: keepRaw })
  for (const endpoint of endpoints) router.on(endpoint.method, endpoint.pattern, () => {}, endpoint)
  const nearestPath = createNearestPath(endpoints.map(({ pattern }) => pattern))
  const methods = [...new Set(endpoints.map(({ method }) => method))]

  /** Null also where a part of the path is empty: that is no value. */
  const find = (method: string, path: string) => {
    const found = router.find(method as HttpMethod, path)
    if (found !== null) for (const name in found.params) if (found.params[name] === '') return null
    return found
  }

  /** The methods of a path, `HEAD` and `OPTIONS` included; none where there is no such path. */
  const allowedOn = (path: string): string[] => {
    const found: string[] = methods.filter(method => find(method, path) !== null)
    if (found.includes('GET')) found.push('HEAD')
    return found.length === 0 ? found : [...found, 'OPTIONS']
  }

  function answerOther(exchange: Exchange): undefined {
    const { method, url = '/' } = exchange.head
    if (method === 'OPTIONS' && url === '*') {
      answerOptions(exchange, [...methods, 'HEAD', 'OPTIONS'])
      return
    }
    const allowed = allowedOn(url)
    if (allowed.length === 0) {
      const [path = ''] = url.split('?', 1)
      const meant = nearestPath(path)
      const hint = meant === undefined ? 'GET /openapi.json lists what there is.' : `Did you mean \`${meant}\`?`
      throw fail('unknown_route', `There is nothing at this path. ${hint}`)
    }
    if (method === 'OPTIONS') {
      answerOptions(exchange, allowed)
      return
    }
    const allow = allowed.join(', ')
    throw fail('method_not_allowed', `This path answers ${allow}.`, { metadata: { allow } })
  }

  return exchange => find(exchange.method, exchange.head.url as string) ?? answerOther(exchange)
}

/** Queries are read by the method's own reader, which knows the fields. */
const keepRaw = (query: string) => query as unknown as Record<string, string>

/** The raw text after `?`. */
export const queryOf = ({ searchParams }: Match): string => searchParams as unknown as string
