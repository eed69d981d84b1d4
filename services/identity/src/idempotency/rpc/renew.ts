import type { HandlerContext } from '@connectrpc/connect'
import type { RenewRequest, RenewResponse } from '@millhand/api/gen/millhand/identity/v1/idempotency_service_pb.ts'
import { principal } from '@millhand/rpc'
import type { IdempotencyDeps } from '../idempotency-deps.ts'
import { KEPT_MS } from '../idempotency-record.ts'
import { whileHeld } from '../while-held.ts'
import { LEASE_MS } from './reserve.ts'

/** Goes on holding, also where the lease has ended and nobody has taken it up. */
export const renew =
  ({ idempotency, clock }: IdempotencyDeps) =>
  async ({ keySha256, holder }: RenewRequest, call: HandlerContext): Promise<RenewResponse> => {
    const key = { tenant: principal(call).tenant, id: Buffer.from(keySha256).toString('hex'), holder }
    const now = clock.now()
    const lease = { held_until: now + LEASE_MS, expires_at: now + KEPT_MS }
    const outcome = await whileHeld(idempotency, key, before => ({ ...before, ...lease }))
    return { $typeName: 'millhand.identity.v1.RenewResponse', held: outcome === 'changed' }
  }
