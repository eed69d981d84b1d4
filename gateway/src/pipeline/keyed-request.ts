/** Begins the operation of an idempotency key, or replays its answer. */
import type { Idempotency } from '../idempotency/idempotency.ts'
import type { KeyedRequest } from '../idempotency/idempotency-key.ts'
import type { ReplyOfFailure } from '../idempotency/operation.ts'
import type { Outcome } from '../idempotency/replay.ts'
import type { Authenticated } from '../inbound.ts'
import type { Reply } from '../reply.ts'

export interface KeyedWork<Context> {
  /** Does the work of a new operation. */
  perform(context: Context, operation: string): Promise<Outcome>
  /** The SHA-256 of a body that the fingerprint does not have. */
  digestBody?(context: Context): Promise<Uint8Array>
  /** The answer that a failure of the work is, as it is kept. */
  failureOf(context: Context): ReplyOfFailure
}

/**
 * Answers a request with a key: by the work where the operation of the key is new, and then the answer is stored; else by
 * the stored answer. Fails as the work does, and with `idempotency_mismatch`, `idempotency_in_progress`, and `unavailable`
 * where identity can't be reached.
 */
export function createIdempotent<Context extends Authenticated>(
  idempotency: Idempotency,
  { perform, digestBody, failureOf }: KeyedWork<Context>,
) {
  return async (context: Context, keyed: KeyedRequest): Promise<Reply> => {
    const begun = await idempotency.begin(context.exchange, context.caller, keyed, failureOf(context))
    if (begun.kind === 'answered') return await begun.replay(digestBody && (await digestBody(context)))
    const { operation } = begun
    return await operation.settle(() => perform(context, operation.id))
  }
}
