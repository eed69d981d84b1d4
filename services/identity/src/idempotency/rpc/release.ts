import type { HandlerContext } from '@connectrpc/connect'
import type { ReleaseRequest, ReleaseResponse } from '@millhand/api/gen/millhand/identity/v1/idempotency_service_pb.ts'
import { principal } from '@millhand/rpc'
import type { IdempotencyDeps } from '../idempotency-deps.ts'
import { whileHeld } from '../while-held.ts'

/** Lets go of what the holder still holds. */
export const release =
  ({ idempotency }: Pick<IdempotencyDeps, 'idempotency'>) =>
  async ({ keySha256, holder, forget }: ReleaseRequest, call: HandlerContext): Promise<ReleaseResponse> => {
    const key = { tenant: principal(call).tenant, id: Buffer.from(keySha256).toString('hex'), holder }
    await whileHeld(idempotency, key, ({ tenant, id, fingerprint, operation, holders, expires_at }) =>
      // Whoever held it before may have made something under the operation's id, and may still do so.
      forget && holders === 1 ? 'remove' : { tenant, id, fingerprint, operation, holders, state: 'free', expires_at },
    )
    return { $typeName: 'millhand.identity.v1.ReleaseResponse' }
  }
