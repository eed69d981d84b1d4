import { type Id, type Ids, parseId } from '@millhand/api'

/** The caller's own request id where it sends a valid one, else a new one. */
export function requestId(sent: string | undefined, ids: Ids): Id<'req'> {
  return (sent === undefined ? undefined : parseId('req', sent)) ?? ids('req')
}
