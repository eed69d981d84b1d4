/** Which addresses are this machine's own, public ones too: what listens there may be meant for its own network alone. */
import os from 'node:os'
import { DialFailure } from './failure.ts'

/**
 * Looked up each time, for interfaces come and go. One without a carrier is left out, though its addresses can be
 * connected to: then both ends of the connection have the same address. Fails with `no_sockets`: it takes a file
 * descriptor.
 */
export function interfaceAddresses(): ReadonlySet<string> {
  try {
    const lists = Object.values(os.networkInterfaces())
    return new Set(lists.flatMap(list => (list ?? []).map(({ address }) => address)))
  } catch {
    throw new DialFailure('no_sockets', 'no connection can be opened here')
  }
}
