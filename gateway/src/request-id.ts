/** `X-Request-Id`: every answer has it, and every call and log line of the request. */
import type { IncomingHttpHeaders } from 'node:http'
import { type Id, type Ids, parseId } from '@millhand/api'

/** The caller's own request id where it sends a valid one, else a new one. */
export function requestIdOf({ headers }: { readonly headers: IncomingHttpHeaders }, ids: Ids): Id<'req'> {
  const sent = headers['x-request-id'] as string | undefined
  return (sent === undefined ? undefined : parseId('req', sent)) ?? ids('req')
}
