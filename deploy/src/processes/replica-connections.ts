/** Connections to other replicas of the own service, each by its address. */
import type { Transport } from '@connectrpc/connect'
import { type Clock, everyInterval, type Runner } from '@millhand/process'

export interface ReplicaConnection {
  readonly tunnel: Transport
  close(): Promise<void>
}

/**
 * Who was not asked for since then is not the owner, and maybe nobody any more. Only a stream of events lasts so long, and
 * who reads it asks again.
 */
const UNUSED_MS = 600_000
const LOOK_EVERY_MS = 60_000

/** Opens a connection when it is first asked for, and closes it when it was not asked for in ten minutes. */
export function createReplicaConnections(
  open: (address: string) => ReplicaConnection,
  { clock, runner }: { readonly clock: Clock; readonly runner: Runner },
): (address: string) => Transport {
  const connections = new Map<string, { readonly connection: ReplicaConnection; askedAt: number }>()
  // Owned before any is known, so that they are closed after the server whose calls they pass on.
  runner.own(
    {
      close: async () =>
        void (await Promise.all([...connections.values()].map(({ connection }) => connection.close()))),
    },
    'replica connections',
  )
  runner.run('unused replica connections', signal =>
    everyInterval(clock, LOOK_EVERY_MS, signal, async () => {
      const unused = [...connections].filter(([, { askedAt }]) => clock.monotonic() - askedAt >= UNUSED_MS)
      for (const [address] of unused) connections.delete(address)
      await Promise.all(unused.map(([, { connection }]) => connection.close()))
    }),
  )
  return address => {
    const askedAt = clock.monotonic()
    const known = connections.get(address)
    if (known) {
      known.askedAt = askedAt
      return known.connection.tunnel
    }
    const connection = open(address)
    connections.set(address, { connection, askedAt })
    return connection.tunnel
  }
}
