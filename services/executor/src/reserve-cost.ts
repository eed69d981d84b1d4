import type { Client } from '@connectrpc/connect'
import type { Lease } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import type { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import type { Clock } from '@millhand/process'
import type { Log } from '@millhand/telemetry'
import { runRefOf } from './input-files.ts'
import { runFields } from './lease.ts'
import { retryWhileUnavailable } from './retry-while-unavailable.ts'

const ASK_MS = 5_000

/**
 * Has it noted what the run of a lease may cost, in millionths of a dollar; again while nobody can. Rejects with what
 * kept it, and with the signal's reason.
 */
export const reserveCost =
  (leases: Pick<Client<typeof LeaseService>, 'reserve'>, clock: Clock, log: Log) =>
  async (lease: Lease, modelCostMicros: number, signal: AbortSignal): Promise<void> => {
    const onFailure = (error: unknown) => log.warn('cost.not_reserved', { ...runFields(lease), error })
    const once = () => leases.reserve({ run: runRefOf(lease), modelCostMicros }, { signal, timeoutMs: ASK_MS })
    await retryWhileUnavailable(once, { clock, signal, onFailure })
  }
