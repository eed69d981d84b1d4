/** Headers of every answer of a deprecated route. */
import type { Route } from '@millhand/api'
import type { Endpoint } from './pipeline/match.ts'

/** Adds `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a link to what to use instead, where the route is deprecated. */
export function withDeprecation({ deprecated }: Route, handle: Endpoint['handle']): Endpoint['handle'] {
  if (deprecated === undefined) return handle
  const since = `@${deprecated.sinceS}`
  const sunset = new Date(deprecated.sunset).toUTCString()
  const link = `<${deprecated.link}>; rel="deprecation"`
  return (exchange, params, query) => {
    exchange.addHeader('Deprecation', since)
    exchange.addHeader('Sunset', sunset)
    exchange.addHeader('Link', link)
    return handle(exchange, params, query)
  }
}
