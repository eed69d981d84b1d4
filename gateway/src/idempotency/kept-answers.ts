/** Which answers an idempotency key keeps: contract, section 6. */
import { codeOf, retryAfterOf } from '@millhand/api'

/**
 * What becomes of an operation that failed:
 * - `kept`: its answer is stored and replayed.
 * - `forgotten`: nothing was done, so the key is as if it had never been sent.
 * - `released`: something may have been done, so the next request of the key goes on with it.
 */
export type Keeping = 'kept' | 'forgotten' | 'released'

/** `status`: the HTTP status that `error` is answered with. Good answers are always kept. */
export function keepingOf(error: unknown, status: number): Keeping {
  // A mismatch is about what was sent, not the result: a request that sends the same as the first gets the result.
  if (status >= 500 || codeOf(error) === 'idempotency_mismatch') return 'released'
  const mayPassLater = refusals.has(status) || retryAfterOf(error) !== undefined
  return mayPassLater ? 'forgotten' : 'kept'
}

/** The caller may be admitted later: nothing was done. */
const refusals: ReadonlySet<number> = new Set([401, 403])
