/** Raw bytes on a socket, for what no HTTP client would send. */
import { connect, type Socket } from 'node:net'

export interface Wire {
  readonly socket: Socket
  send(bytes: string | Buffer): void
  /** All that has come once it contains `text`. */
  until(text: string): Promise<string>
  /** All that came until the server closed the connection. */
  rest(): Promise<string>
}

export async function openWire(port: number): Promise<Wire> {
  const socket = connect(port, '127.0.0.1')
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  let received = ''
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    received += chunk
  })
  socket.on('error', () => socket.destroy())
  const closed = new Promise<void>(resolve => socket.once('close', () => resolve()))
  return {
    socket,
    send: bytes => void socket.write(bytes),
    async until(text) {
      while (!received.includes(text)) {
        await new Promise<void>((resolve, reject) => {
          socket.once('data', () => resolve())
          void closed.then(() => reject(new Error(`closed after: ${received}`)))
        })
      }
      return received
    },
    rest: () => closed.then(() => received),
  }
}

/** The text of a request; `headers` are lines without their ends. */
export function requestText(line: string, headers: readonly string[] = [], body = ''): string {
  return `${[`${line} HTTP/1.1`, 'Host: millhand.test', ...headers].join('\r\n')}\r\n\r\n${body}`
}
