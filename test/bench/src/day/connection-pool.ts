/** Connections that are kept open between requests, opened as they are needed. */
import type { Answer } from '../answer-reader.ts'
import { type Address, type Connection, openConnection } from '../connection.ts'

export interface ConnectionPool extends Disposable {
  /** Sends a whole request, once a connection is free. Rejects when the connection breaks before the answer. */
  send(request: string): Promise<Answered>
}

export interface Answered {
  readonly status: number
  readonly head: string
  readonly body: string
}

/** Well below the time after which the server ends an idle connection: a request could meet that end. */
const IDLE_MS = 30_000

/** At most `most` requests are under way; others wait for their turn, the first one first. */
export function openPool(address: Address, most: number): ConnectionPool {
  const free: Idle[] = []
  const waiting: ((connection: Connection) => void)[] = []
  const all = new Set<Connection>()
  let opening = 0

  async function take(): Promise<Connection> {
    for (let last = free.pop(); last !== undefined; last = free.pop()) {
      if (performance.now() - last.since < IDLE_MS && all.has(last.connection)) return last.connection
      drop(last.connection)
    }
    if (all.size + opening >= most) return await new Promise(resolve => waiting.push(resolve))
    opening += 1
    try {
      const connection = await openConnection(address)
      all.add(connection)
      return connection
    } finally {
      opening -= 1
    }
  }

  function drop(connection: Connection): void {
    connection.onBroken = () => {}
    all.delete(connection)
    connection.socket.destroy()
  }

  function give(connection: Connection): void {
    connection.onBroken = () => drop(connection)
    const next = waiting.shift()
    if (next) next(connection)
    else free.push({ connection, since: performance.now() })
  }

  /** One that has ended leaves room for one that waits. */
  async function replace(): Promise<void> {
    const next = waiting.shift()
    if (next) next(await take())
  }

  return {
    async send(request) {
      const connection = await take()
      try {
        const answered = await exchange(connection, request)
        if (/\r\nconnection: close\r\n/i.test(answered.head)) drop(connection)
        else give(connection)
        return answered
      } catch (cause) {
        drop(connection)
        throw cause
      } finally {
        if (!all.has(connection)) void replace()
      }
    },
    [Symbol.dispose]() {
      for (const connection of all) drop(connection)
    },
  }
}

interface Idle {
  readonly connection: Connection
  readonly since: number
}

function exchange(connection: Connection, request: string): Promise<Answered> {
  return new Promise((resolve, reject) => {
    connection.onAnswer = answer => resolve(copied(answer))
    connection.onBroken = reject
    connection.socket.write(request)
  })
}

const copied = ({ status, head, body }: Answer): Answered => ({
  status,
  head: `${head.toString('latin1')}\r\n`,
  body: body.toString('utf8'),
})
