/** A connection for requests of HTTP/1.1, one at a time, on a bare socket. */
import { connect, type Socket } from 'node:net'
import { type Answer, answerReader } from './answer-reader.ts'

export interface Connection {
  readonly socket: Socket
  /** To be set: hears every complete answer, which is borrowed until it returns, and of the end of the connection. */
  onAnswer: (answer: Answer) => void
  onBroken: (cause: Error) => void
}

export interface Address {
  readonly host: string
  readonly port: number
}

export function openConnection({ host, port }: Address): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const reader = answerReader()
    const callback = (size: number, bytes: Uint8Array) => {
      try {
        const answer = reader.read((bytes as Buffer).subarray(0, size))
        if (answer) connection.onAnswer(answer)
      } catch (cause) {
        connection.onBroken(cause as Error)
      }
      return true
    }
    const socket = connect({ host, port, noDelay: true, onread: { buffer: Buffer.allocUnsafeSlow(65_536), callback } })
    const connection: Connection = { socket, onAnswer: () => {}, onBroken: reject }
    socket.on('connect', () => resolve(connection))
    socket.on('error', cause => connection.onBroken(cause))
    socket.on('close', () => connection.onBroken(new Error('the server closed a connection')))
  })
}
