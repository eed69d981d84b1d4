/**
 * Which request an idempotency key was sent with, and how it was answered. Every change is one compare-and-set of one
 * document, and what a holder may do is decided by its name there, not by a clock. Clocks decide only how long a holder
 * that says nothing is waited for: where that of one replica is wrong by the length of the lease, two may be at one
 * operation. They make the same thing under the same id, and the first answer that is stored is the one that counts.
 */
import { IdempotencyService } from '@millhand/api/gen/millhand/identity/v1/idempotency_service_pb.ts'
import type { Routes } from '@millhand/rpc'
import { sweep } from '@millhand/store'
import type { Log } from '@millhand/telemetry'
import type { IdempotencyDeps } from './idempotency-deps.ts'
import { idempotencySpec, KEPT_MS } from './idempotency-record.ts'
import { complete } from './rpc/complete.ts'
import { release } from './rpc/release.ts'
import { renew } from './rpc/renew.ts'
import { reopen } from './rpc/reopen.ts'
import { reserve } from './rpc/reserve.ts'

const SWEEP_EVERY_MS = 60_000

export function createIdempotencyService({ log, ...deps }: IdempotencyDeps & { readonly log: Log }) {
  const { idempotency, clock } = deps
  const expired = expiredRecords(deps)
  return {
    routes(router: Routes): void {
      router.service(IdempotencyService, {
        reserve: reserve(deps),
        renew: renew(deps),
        complete: complete(deps),
        release: release(deps),
        reopen: reopen(deps),
      })
    },
    /**
     * Removes what has expired, until the signal ends: it counts as gone from its time on, whenever it goes. One replica is
     * enough; several disturb nothing.
     */
    run: (signal: AbortSignal): Promise<void> =>
      sweep(
        {
          name: idempotencySpec.name,
          collection: idempotency,
          index: 'due',
          range: expired,
          everyMs: SWEEP_EVERY_MS,
          clock,
          log,
        },
        signal,
      ),
  }
}

/**
 * What has expired by the calendar. A calendar that jumps ahead, as at a start before its clock is set, would forget
 * answers: it is believed once it has gone along with the monotonic clock from one look to the next. Until then nothing
 * goes that was not a day old when the newest record was written.
 */
function expiredRecords({ idempotency, clock }: Pick<IdempotencyDeps, 'idempotency' | 'clock'>) {
  let offset = Number.NaN
  return async () => {
    const before = offset
    offset = clock.now() - clock.monotonic()
    if (Math.abs(offset - before) < STEADY_MS) return { equals: [], before: [clock.now()] }
    const [newest] = await idempotency.find('due', { equals: [], order: 'desc', limit: 1 })
    return { equals: [], before: [Math.min(clock.now(), (newest?.expires_at ?? 0) - KEPT_MS)] }
  }
}

/** More than a clock is slewed by within a minute. */
const STEADY_MS = 1_000
