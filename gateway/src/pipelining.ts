/** Bounds the requests of a connection that come before the answers to earlier ones are sent (RFC 9112, section 9.3.2). */
import type { Socket } from 'node:net'
import type { Connection } from './connection.ts'

/** With more unanswered requests than this the socket is paused until there are fewer. */
const MAX_UNSENT = 8
/**
 * Node parses all that it has read from a socket, up to 64 KiB and so hundreds of requests, whether the socket was paused
 * meanwhile or not: each takes some 20 KiB of memory until it is answered. In pieces of this size a pause takes effect
 * after a few. Of a body they are larger: there are no requests in it. What has few requests in it is not cut: each piece
 * costs the parser and the reader of the body a call.
 */
const PIECE_BYTES = 512
const BODY_PIECE_BYTES = 2_048

export function boundPipelining(socket: Socket, connection: Connection) {
  // With a reader of the stream, node's parser reads from that as well, and not from the handle below it.
  socket.on('data', () => {})
  const push = socket.push
  socket.push = (chunk: Buffer | null, encoding?: BufferEncoding) => {
    if (chunk === null || chunk.length <= PIECE_BYTES || hasFewRequests(chunk))
      return push.call(socket, chunk, encoding)
    let wantsMore = true
    for (let at = 0, size: number; at < chunk.length; at += size) {
      size = pieceOf(connection, chunk.length)
      wantsMore = push.call(socket, chunk.subarray(at, at + size), encoding)
    }
    return wantsMore
  }
  // Node resumes it for the reader of a body, and with each answer that it has sent: in the same turn of the event loop,
  // and so without end while there is more to read. Once held, it goes on in its turn alone.
  const resume = socket.resume
  socket.resume = () => (connection.isHeld || connection.isEnding ? socket : resume.call(socket))
  const goOn = () => {
    connection.isHeld = false
    isResuming = false
    // Node has paused its parser too where it has too much to send, and resumes both itself.
    if (socket.isPaused() && (socket as NodeSocket)._paused !== true) socket.resume()
  }
  let isResuming = false
  connection.onSent = () => {
    if (!connection.isHeld || isResuming || isFull(connection)) return
    isResuming = true
    resumeLater(goOn)
  }
}

/**
 * Connections to resume, one in each turn of the event loop: requests of callers that do not pipeline are read between
 * them, however many connections have more to read.
 */
const resuming: (() => void)[] = []

function resumeLater(goOn: () => void) {
  if (resuming.push(goOn) === 1) setImmediate(resumeSome)
}

function resumeSome() {
  resuming.shift()?.()
  if (resuming.length > 0) setImmediate(resumeSome)
}

/** What node's server keeps on a socket. */
interface NodeSocket extends Socket {
  readonly _paused?: boolean
}

/**
 * Whether at most two requests end their heads in it: one in a blank line, and one in its first bytes, where what came
 * before ends with the beginning of that line. Node takes no other bytes for the end of a head.
 */
function hasFewRequests(chunk: Buffer): boolean {
  const first = chunk.indexOf(BLANK_LINE)
  return first === -1 || chunk.indexOf(BLANK_LINE, first + BLANK_LINE.length) === -1
}

const BLANK_LINE = Buffer.from('\r\n\r\n')

/** Of a request that is refused the rest is only thrown away, and nothing behind it is looked at. */
function pieceOf({ isRefused, open }: Connection, bytes: number): number {
  if (isRefused) return bytes
  return open.at(-1)?.hasCome === false ? BODY_PIECE_BYTES : PIECE_BYTES
}

/** To be called when a request has come. */
export function pauseWhenFull(socket: Socket, connection: Connection) {
  if (!isFull(connection)) return
  connection.isHeld = true
  socket.pause()
}

/** Whether nothing more is read of the connection until what came is answered. */
export const isFull = ({ unsent }: Connection): boolean => unsent.length > MAX_UNSENT
