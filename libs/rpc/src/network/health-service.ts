/** grpc.health.v1: what load balancers and probes ask. */
import type { HandlerContext } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import {
  Health as HealthService,
  HealthCheckResponse_ServingStatus as Status,
} from '@millhand/api/gen/grpc/health/v1/health_pb.ts'
import type { Clock, Health } from '@millhand/process'
import type { Routes } from '../direct-transport.ts'
import { drainingKey } from './draining.ts'

export interface HealthServiceOptions {
  readonly health: Health
  /** Whether the server is about to stop. It serves on, but nobody should begin to rely on it. */
  readonly isLeaving?: () => boolean
  /** The services that are asked for by name; a process serves all of them or none. */
  readonly services: () => Iterable<string>
  readonly clock: Pick<Clock, 'sleep'>
}

/** How often a watched status is looked at, in milliseconds. */
const LOOK_EVERY_MS = 1_000

export function healthService({ health, isLeaving = () => false, services, clock }: HealthServiceOptions) {
  /** Undefined for a service that is not served here. The empty name is the process. */
  const statusOf = (service: string, draining: AbortSignal): Status | undefined => {
    if (service !== '' && !new Set(services()).has(service)) return undefined
    return health.ready().ready && !isLeaving() && !draining.aborted ? Status.SERVING : Status.NOT_SERVING
  }

  return (routes: Routes): void => {
    routes.service(HealthService, {
      check({ service }, call) {
        const status = statusOf(service, call.values.get(drainingKey))
        if (status === undefined) throw fail('not_found', `No service ${service} is served here.`)
        return { status }
      },

      /** Ends when the server stops, after it has said so: a watcher then asks another, or again. */
      async *watch({ service }, call) {
        const draining = call.values.get(drainingKey)
        let said: Status | undefined
        for (;;) {
          const status = statusOf(service, draining) ?? Status.SERVICE_UNKNOWN
          if (status !== said) yield { status }
          said = status
          if (draining.aborted) return
          await pause(clock, call, draining)
        }
      },

      list(_, call) {
        const draining = call.values.get(drainingKey)
        const names = ['', ...services()]
        return {
          statuses: Object.fromEntries(
            names.map(name => [name, { status: statusOf(name, draining) ?? Status.SERVICE_UNKNOWN }]),
          ),
        }
      },
    })
  }
}

/** Until it is time to look again, or the server stops. Rejects when the call ends. */
async function pause(clock: Pick<Clock, 'sleep'>, call: HandlerContext, draining: AbortSignal): Promise<void> {
  await clock.sleep(LOOK_EVERY_MS, AbortSignal.any([call.signal, draining])).catch(() => {})
  call.signal.throwIfAborted()
}
