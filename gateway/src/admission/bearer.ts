/** The credentials of a request. */
import { fail } from '@millhand/api'

/**
 * The API key in an `Authorization` header.
 * Fails with `missing_credentials`, or with `invalid_credentials` where it holds something else.
 */
export function bearerKey(authorization: string | undefined): string {
  if (authorization === undefined) {
    throw fail('missing_credentials', 'The request has no `Authorization` header.')
  }
  const key = authorization.startsWith('Bearer ') ? authorization.slice(7) : bearer.exec(authorization)?.[1]
  if (key === undefined) throw fail('invalid_credentials', '`Authorization` must be `Bearer` and an API key.')
  return key
}

/** The scheme is case-insensitive (RFC 9110, section 11.1). */
const bearer = /^bearer +(\S+) *$/i
