/** Failures as callers of RPC see them. */
import type { ConnectError } from '@connectrpc/connect'
import { fail, metadataOf, problemOf, retryAfterOf } from '@millhand/api'

/**
 * Any failure with what REST's problem says of it: the code in `google.rpc.ErrorInfo`, faults of fields in `BadRequest`, and
 * when to come back in `RetryInfo`. What is not of the catalogue says nothing but its code and what to do.
 */
export function publicError(error: unknown): ConnectError {
  const { code, detail, errors } = problemOf(error, '')
  const retryAfterS = retryAfterOf(error)
  return fail(code, detail, {
    metadata: metadataOf(error),
    ...(errors && { errors }),
    ...(retryAfterS !== undefined && { retryAfterS }),
  })
}
