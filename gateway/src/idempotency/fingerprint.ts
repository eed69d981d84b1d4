/** What makes a request the same as another. */
import { createHash } from 'node:crypto'
import type { Exchange } from '../exchange.ts'

/** SHA-256 of method, path, query and `rest`: of the body, or what is known of one that is to come. */
export function fingerprintOf({ req }: Exchange, rest: Uint8Array | string): Buffer {
  // Neither a method nor a target holds a line end.
  return createHash('sha256').update(`${req.method}\n${req.url}\n`).update(rest).digest()
}
