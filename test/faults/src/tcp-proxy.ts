/** A connection between two processes that can be cut, held and slowed: a TCP proxy on this machine. */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { breakOff } from '@millhand/test-servers'

export interface Link extends AsyncDisposable {
  /** `127.0.0.1:<port>`, where who calls finds it. */
  readonly address: string
  /** Where it leads, `host:port`; connections are refused until it is said. */
  leadTo(address: string): void
  /** Resets every connection and refuses new ones, until `heal`. */
  cut(): void
  /**
   * Nothing comes through and nothing is refused; what was held goes on at `heal`, as late as that is, also when who
   * said it has gone meanwhile: as a network delivers what it still has.
   */
  hold(): void
  /** Everything takes so many milliseconds longer, in each direction, until `heal`. */
  delay(ms: number): void
  heal(): void
}

type Mood = { readonly kind: 'open' | 'cut' | 'held' } | { readonly kind: 'slow'; readonly ms: number }

export async function createLink(): Promise<Link> {
  const sockets = new Set<Socket>()
  let mood: Mood = { kind: 'open' }
  let healed = Promise.withResolvers<void>()
  let target: readonly [host: string, port: number] | undefined

  const become = (next: Mood) => {
    mood = next
    healed.resolve()
    healed = Promise.withResolvers<void>()
  }

  /** Until what is on its way may go on. */
  const passage = async () => {
    while (mood.kind === 'held') await healed.promise
    if (mood.kind === 'slow') await pause(mood.ms)
  }

  const joined = (socket: Socket) => {
    sockets.add(socket)
    socket.setNoDelay(true)
    // A reset is told to the other side by the end of the pair.
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
  }

  /** Chunk by chunk and its end, in order. An end that is no proper one is passed on as a reset. */
  const carry = async (from: Socket, to: Socket) => {
    let proper = false
    try {
      for await (const chunk of from) {
        if (mood.kind !== 'open') await passage()
        if (to.destroyed) break
        if (!to.write(chunk)) await hasRoom(to)
      }
      proper = from.readableEnded
    } catch {
      // It was reset: what it had said before has been carried.
    }
    if (mood.kind !== 'open') await passage()
    if (proper) to.end()
    else {
      from.destroy()
      breakOff(to)
    }
  }

  const server = createServer({ allowHalfOpen: true }, async incoming => {
    joined(incoming)
    if (mood.kind !== 'open') await passage()
    if (!target || (mood as Mood).kind === 'cut') {
      breakOff(incoming)
      return
    }
    const outgoing = connect({ host: target[0], port: target[1], allowHalfOpen: true })
    joined(outgoing)
    void carry(incoming, outgoing)
    void carry(outgoing, incoming)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }

  return {
    address: `127.0.0.1:${port}`,
    leadTo(address) {
      const [host, port] = address.split(':') as [string, string]
      target = [host, Number(port)]
    },
    cut() {
      become({ kind: 'cut' })
      for (const socket of sockets) breakOff(socket)
    },
    hold: () => become({ kind: 'held' }),
    delay: ms => become({ kind: 'slow', ms }),
    heal: () => become({ kind: 'open' }),
    async [Symbol.asyncDispose]() {
      server.close()
      for (const socket of sockets) socket.destroy()
      become({ kind: 'cut' })
    },
  }
}

/** Resolves when it can take more, or has gone. */
function hasRoom(socket: Socket): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      socket.off('drain', done).off('close', done)
      resolve()
    }
    socket.on('drain', done).on('close', done)
  })
}
