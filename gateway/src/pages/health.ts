/** `/healthz`: the process lives. `/readyz`: it can serve. Neither needs a key. */
import { fail } from '@millhand/api'
import type { Health } from '@millhand/process'
import type { Endpoint } from '../pipeline/match.ts'

export function healthChecks(health: Health): Endpoint[] {
  return [
    {
      method: 'GET',
      pattern: '/healthz',
      handle(exchange) {
        exchange.send(200, json, '{"status":"ok"}')
      },
    },
    {
      method: 'GET',
      pattern: '/readyz',
      handle(exchange) {
        const { ready, checks } = health.ready()
        if (!ready) throw fail('unavailable', `Not ready: ${reasons(checks)}.`)
        exchange.send(200, json, '{"status":"ready"}')
      },
    },
  ]
}

const json = ['Content-Type', 'application/json', 'Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff']

function reasons(checks: ReturnType<Health['ready']>['checks']): string {
  return Object.entries(checks)
    .filter(([, { ready }]) => !ready)
    .map(([name, { reason }]) => (reason === undefined ? name : `${name} (${reason})`))
    .join(', ')
}
