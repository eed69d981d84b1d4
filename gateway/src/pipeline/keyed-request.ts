/** Begins the operation of an idempotency key, or replays its answer. */
import type { Idempotency } from '../idempotency/idempotency.ts'
import type { KeyedRequest } from '../idempotency/idempotency-key.ts'
import type { Outcome } from '../idempotency/replay.ts'
import type { Reply } from '../reply.ts'
import type { RequestContext } from './context.ts'

export interface KeyedWork {
  /** Does the work of a new operation. */
  perform(context: RequestContext, operation: string): Promise<Outcome>
  /** The SHA-256 of a body that the fingerprint does not have. */
  digestBody?(context: RequestContext): Promise<Uint8Array>
}

/**
 * Answers a request with a key: by the work where the operation of the key is new, and then the answer is stored; else by
 * the stored answer. Fails as the work does, and with `idempotency_mismatch`, `idempotency_in_progress`, and `unavailable`
 * where identity can't be reached.
 */
export function createIdempotent(idempotency: Idempotency, { perform, digestBody }: KeyedWork) {
  return async (context: RequestContext, keyed: KeyedRequest): Promise<Reply> => {
    const begun = await idempotency.begin(context.exchange, context.caller, keyed)
    if (begun.kind === 'answered') return await begun.replay(digestBody && (await digestBody(context)))
    const { operation } = begun
    return await operation.settle(() => perform(context, operation.id))
  }
}
