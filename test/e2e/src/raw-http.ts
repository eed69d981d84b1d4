import { once } from 'node:events'
import { connect } from 'node:net'
import { breakOff } from '@millhand/test-servers'
import type { Served } from './server.ts'

/** A bare connection, for what no HTTP client would send. */
export interface Connection {
  write(bytes: string): void
  /** What has come, as soon as the head of an answer is whole; rejects when the connection ends before that. */
  response(): Promise<string>
  /** Resolves when the other side has closed. */
  ended(): Promise<void>
  isOpen(): boolean
  close(): void
  /** Breaks it off. */
  destroy(): void
}

export async function connection(url: string): Promise<Connection> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  let received = ''
  let closed = false
  const gone = once(socket, 'close').then(() => {
    closed = true
  })
  // A server that refuses may reset while we still send; what it said before counts.
  socket.on('error', () => {})
  socket.on('data', chunk => {
    received += chunk.toString('latin1')
  })
  return {
    write: bytes => {
      if (!closed) socket.write(bytes)
    },
    response: async () => {
      while (!received.includes('\r\n\r\n')) {
        if (closed) throw new Error(`the connection ended with ${JSON.stringify(received)}`)
        await Promise.race([once(socket, 'data'), gone])
      }
      return received
    },
    ended: () => gone,
    isOpen: () => !closed,
    close: () => socket.end(),
    destroy: () => breakOff(socket),
  }
}

/** The head of a JSON request with the live key, up to the empty line. */
export function rawHead(method: string, path: string, server: Served, headers: readonly string[]): string {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${new URL(server.url).host}`,
    `Authorization: Bearer ${server.key}`,
    'Content-Type: application/json',
    ...headers,
  ]
  return `${lines.join('\r\n')}\r\n\r\n`
}
