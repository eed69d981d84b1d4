/** Connections that send something and then hold on, reading next to nothing. */
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { breakOff } from '@millhand/test-servers'

export interface HeldConnections {
  readonly url: string
  readonly connections: number
  /** What each sends, as far as the server takes it. */
  readonly bytes: Buffer
  readonly holdMs: number
}

/** Holds them for that time, then reads what the server has sent first; the status of each, or 0 where it sent none. */
export async function hold({ url, connections, bytes, holdMs }: HeldConnections): Promise<number[]> {
  const { hostname, port } = new URL(url)
  const sockets = Array.from({ length: connections }, () => {
    const socket = connect(Number(port), hostname)
    // Node reads a few KiB, and no more while nobody takes them.
    socket.on('error', () => {}).on('readable', () => {})
    socket.write(bytes)
    return socket
  })
  await pause(holdMs)
  const statuses = sockets.map(firstStatus)
  for (const socket of sockets) breakOff(socket)
  return statuses
}

function firstStatus(socket: Socket): number {
  const chunk = socket.read() as Buffer | null
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(chunk?.toString('latin1', 0, 20) ?? '')?.[1] ?? 0)
}
