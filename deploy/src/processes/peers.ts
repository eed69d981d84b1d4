/** Ways to replicas of the own service, each by its address. */
import type { Transport } from '@connectrpc/connect'
import { type Clock, everyInterval, type Runner } from '@millhand/process'

export interface Way {
  readonly tunnel: Transport
  close(): Promise<void>
}

/**
 * Who was not asked for since then is not the owner, and maybe nobody any more. Only a stream of events lasts so long, and
 * who reads it asks again.
 */
const UNUSED_MS = 600_000
const LOOK_EVERY_MS = 60_000

/** Opens a way when it is first asked for, and closes it when it was not asked for in ten minutes. */
export function createPeers(
  open: (address: string) => Way,
  { clock, runner }: { readonly clock: Clock; readonly runner: Runner },
): (address: string) => Transport {
  const peers = new Map<string, { readonly way: Way; askedAt: number }>()
  // Owned before any is known, so that they are closed after the server whose calls they pass on.
  runner.own(
    { close: async () => void (await Promise.all([...peers.values()].map(({ way }) => way.close()))) },
    'peers',
  )
  runner.run('unused peers', signal =>
    everyInterval(clock, LOOK_EVERY_MS, signal, async () => {
      const unused = [...peers].filter(([, { askedAt }]) => clock.monotonic() - askedAt >= UNUSED_MS)
      for (const [address] of unused) peers.delete(address)
      await Promise.all(unused.map(([, { way }]) => way.close()))
    }),
  )
  return address => {
    const askedAt = clock.monotonic()
    const known = peers.get(address)
    if (known) {
      known.askedAt = askedAt
      return known.way.tunnel
    }
    const way = open(address)
    peers.set(address, { way, askedAt })
    return way.tunnel
  }
}
