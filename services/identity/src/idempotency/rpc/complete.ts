import type { HandlerContext } from '@connectrpc/connect'
import type {
  CompleteRequest,
  CompleteResponse,
  StoredAnswer,
} from '@millhand/api/gen/millhand/identity/v1/idempotency_service_pb.ts'
import { principal } from '@millhand/rpc'
import type { IdempotencyDeps } from '../idempotency-deps.ts'
import { KEPT_MS, keptAnswer, storedAnswer } from '../idempotency-record.ts'
import { whileHeld } from '../while-held.ts'

/** Stores the holder's answer; who is no longer the holder learns which one counts. */
export const complete =
  ({ idempotency, clock }: IdempotencyDeps) =>
  async (
    { keySha256, holder, operation, answer }: CompleteRequest,
    call: HandlerContext,
  ): Promise<CompleteResponse> => {
    const key = { tenant: principal(call).tenant, id: Buffer.from(keySha256).toString('hex'), holder }
    const kept = keptAnswer(answer as StoredAnswer) // The proto requires it.
    const outcome = await whileHeld(idempotency, key, ({ tenant, id, fingerprint, operation }) => ({
      ...{ tenant, id, fingerprint, operation, holder },
      state: 'answered',
      answer: kept,
      expires_at: clock.now() + KEPT_MS,
    }))
    if (outcome === 'changed') return response({})
    const { found } = outcome
    // What a key stands for later is another operation, and none of this holder's business.
    if (found?.state !== 'answered' || found.operation !== operation) return response({ lost: true })
    return response(found.holder === holder ? {} : { instead: storedAnswer(found.answer) })
  }

const response = (said: { lost?: true; instead?: StoredAnswer }): CompleteResponse => ({
  $typeName: 'millhand.identity.v1.CompleteResponse',
  lost: false,
  ...said,
})
