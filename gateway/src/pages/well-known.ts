/** What is found under `/.well-known/`. None of it needs a key. */
import { fail } from '@millhand/api'
import type { Clock } from '@millhand/process'
import type { Endpoint } from '../pipeline/match.ts'
import { page } from './static-page.ts'

export interface WellKnownDeps {
  /** A `mailto:` or `https:` URI; undefined where the deployment names none. */
  readonly securityContact?: string | undefined
  readonly clock: Clock
}

export const wellKnown = (deps: WellKnownDeps): Endpoint[] => [apiCatalog(), securityText(deps)]

/**
 * RFC 9727. Addresses are relative, so that they hold behind every name that leads here; the relations are those of RFC
 * 8631.
 */
const apiCatalog = () =>
  page({
    path: '/.well-known/api-catalog',
    type: 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    body: JSON.stringify({
      linkset: [
        {
          anchor: '/v1',
          'service-desc': [{ href: '/openapi.json', type: 'application/vnd.oai.openapi+json' }],
          'service-doc': [{ href: '/docs', type: 'text/html' }],
          status: [{ href: '/status', type: 'text/html' }],
        },
      ],
    }),
    headers: ['Link', '</.well-known/api-catalog>; rel="api-catalog"'],
  })

/** RFC 9116. */
function securityText({ securityContact, clock }: WellKnownDeps): Endpoint {
  return {
    method: 'GET',
    pattern: '/.well-known/security.txt',
    handle(exchange) {
      if (securityContact === undefined) {
        throw fail('not_found', 'This deployment names no contact: `MILLHAND_SECURITY_CONTACT` is not set.')
      }
      const lines = [
        `Contact: ${securityContact}`,
        `Expires: ${new Date(clock.now() + VALID_MS).toISOString()}`,
        'Preferred-Languages: en',
      ]
      exchange.send(200, headers, `${lines.join('\n')}\n`)
    },
  }
}

/** Half a year from whenever it is read: it must be less than a year (RFC 9116, section 2.5.5). */
const VALID_MS = 182 * 86_400_000

const headers = [
  'Content-Type',
  'text/plain; charset=utf-8',
  'Cache-Control',
  'no-cache',
  'X-Content-Type-Options',
  'nosniff',
]
