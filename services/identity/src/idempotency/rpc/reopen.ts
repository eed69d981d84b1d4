import type { HandlerContext } from '@connectrpc/connect'
import type { ReopenRequest, ReopenResponse } from '@millhand/api/gen/millhand/identity/v1/idempotency_service_pb.ts'
import { principal } from '@millhand/rpc'
import type { IdempotencyDeps } from '../idempotency-deps.ts'

/** Empties the answer of an operation. Whoever is at it loses it: what they have from before must not be kept either. */
export const reopen =
  ({ idempotency }: Pick<IdempotencyDeps, 'idempotency'>) =>
  async ({ operation }: ReopenRequest, call: HandlerContext): Promise<ReopenResponse> => {
    const equals = [principal(call).tenant, operation]
    for (;;) {
      const [found] = await idempotency.find('by_operation', { equals, limit: 1 })
      if (found === undefined || found.state === 'free') break
      const { tenant, id, fingerprint, expires_at, version } = found
      // It was begun, and made something: nobody may forget it.
      const document = { tenant, id, fingerprint, operation, expires_at, state: 'free', holders: 1 } as const
      const result = await idempotency.write({ kind: 'replace', version, document, events: [] })
      if (result.kind === 'written') break
    }
    return { $typeName: 'millhand.identity.v1.ReopenResponse' }
  }
