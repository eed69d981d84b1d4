/** `/healthz`: the process lives. `/readyz`: it can serve. Neither needs a key. */
import { fail } from '@millhand/api'
import type { Health } from '@millhand/runner'
import type { Route } from '../dispatch.ts'

export function healthRoutes(health: Health): Route[] {
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
      async handle(exchange) {
        const failing = await health.failing()
        if (failing.length > 0) throw fail('unavailable', `Not ready: ${failing.join(', ')}.`)
        exchange.send(200, json, '{"status":"ready"}')
      },
    },
  ]
}

const json = ['Content-Type', 'application/json', 'Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff']
