/** Headers of every answer of a deprecated route. */
import type { Route } from '@millhand/api'
import type { Inbound } from './inbound.ts'
import type { Endpoint } from './pipeline/match.ts'

/** Adds `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a link to what to use instead, where the route is deprecated. */
export function withDeprecation({ deprecated }: Route, handle: Endpoint['handle']): Endpoint['handle'] {
  if (deprecated === undefined) return handle
  return (exchange, params, query) => {
    addDeprecation(exchange, deprecated)
    return handle(exchange, params, query)
  }
}

/** Adds them to one answer. */
export function addDeprecation(exchange: Pick<Inbound, 'addHeader'>, { sinceS, sunset, link }: Deprecated): void {
  exchange.addHeader('Deprecation', `@${sinceS}`)
  exchange.addHeader('Sunset', new Date(sunset).toUTCString())
  exchange.addHeader('Link', `<${link}>; rel="deprecation"`)
}

type Deprecated = NonNullable<Route['deprecated']>
