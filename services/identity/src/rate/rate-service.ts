/** Shares the request rates of accounts between gateways. */
import { RateService } from '@millhand/api/gen/millhand/identity/v1/rate_service_pb.ts'
import { forwardToOwner, ownerUnavailable, type Replicas } from '@millhand/lease'
import type { Clock } from '@millhand/process'
import type { Routes } from '@millhand/rpc'
import { RateWindows } from './rate-windows.ts'

export interface RateServiceDeps {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly replicas: Replicas
}

export function createRateService({ clock, replicas }: RateServiceDeps) {
  let owned: RateWindows | undefined
  const { takePlaces } = RateService.method
  return {
    routes(router: Routes): void {
      router.service(RateService, {
        takePlaces: forwardToOwner(replicas, takePlaces, async request => {
          if (owned === undefined) throw ownerUnavailable()
          return owned.take(request)
        }),
      })
    },
    /** Keeps the windows from now until the signal ends: for as long as this replica is the owner. */
    async run(signal: AbortSignal): Promise<void> {
      owned = new RateWindows(clock)
      await new Promise<void>(resolve => {
        if (signal.aborted) resolve()
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
      owned = undefined
    },
  }
}
