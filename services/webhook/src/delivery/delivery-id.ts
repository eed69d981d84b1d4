/** The id of a delivery: of one event and one endpoint it is always the same, so what is made again is there already. */
import { createHash } from 'node:crypto'

/**
 * It sorts with its event: time, version and the counter's upper bits are the event's (`libs/api`, `ids.ts`), the other
 * 60 bits a hash of both. `eventId` is an `evt_…` that was checked.
 */
export function deliveryId(eventId: string, endpoint: string): string {
  const hash = createHash('sha256').update(eventId).update('\n').update(endpoint).digest()
  const tail = Array.from(hash.subarray(0, 12), byte => alphabet.charAt(byte & 31)).join('')
  return `dlv_${eventId.slice('evt_'.length, 'evt_'.length + 14)}${tail}`
}

/** Crockford's base32 in lower case, as in every id. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
