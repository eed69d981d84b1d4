/** Bounds the requests of a connection that come before the answers to earlier ones are sent (RFC 9112, section 9.3.2). */
import type { Socket } from 'node:net'
import type { Traffic } from './traffic.ts'

/** With more unanswered requests than this the socket is paused until there are fewer. */
const MOST_UNSENT = 8
/**
 * Node parses all that it has read from a socket, up to 64 KiB and so hundreds of requests, whether the socket was paused
 * meanwhile or not: each takes some 20 KiB of memory until it is answered. In pieces of this size a pause takes effect
 * after some tens.
 */
const PIECE_BYTES = 2_048

export function boundPipelining(socket: Socket, traffic: Traffic) {
  // With a reader of the stream, node's parser reads from that as well, and not from the handle below it.
  socket.on('data', () => {})
  const push = socket.push
  socket.push = (chunk: Buffer | null, encoding?: BufferEncoding) => {
    if (chunk === null || chunk.length <= PIECE_BYTES) return push.call(socket, chunk, encoding)
    let wantsMore = true
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      wantsMore = push.call(socket, chunk.subarray(at, at + PIECE_BYTES), encoding)
    }
    return wantsMore
  }
  // Node resumes it for whoever reads a body: also one of a request that is over the bound, which has to wait.
  const resume = socket.resume
  socket.resume = () => (isFull(traffic) ? socket : resume.call(socket))
  let isResuming = false
  const goOn = () => {
    isResuming = false
    // Node has paused its parser too where it has too much to send, and resumes both itself.
    if (socket.isPaused() && (socket as NodeSocket)._paused !== true) socket.resume()
  }
  traffic.onSent = () => {
    if (isResuming || !socket.isPaused()) return
    isResuming = true
    resumeLater(goOn)
  }
}

/**
 * Connections that go on, a few in each turn of the event loop: whoever does not pipeline has its request read between
 * them, however many connections of others have more to read.
 */
const resuming: (() => void)[] = []
const RESUMED_A_TURN = 4

function resumeLater(goOn: () => void) {
  if (resuming.push(goOn) === 1) setImmediate(resumeSome)
}

function resumeSome() {
  for (const goOn of resuming.splice(0, RESUMED_A_TURN)) goOn()
  if (resuming.length > 0) setImmediate(resumeSome)
}

/** What node's server keeps on a socket. */
interface NodeSocket extends Socket {
  readonly _paused?: boolean
}

/** To be called when a request has come. */
export function pauseWhenFull(socket: Socket, traffic: Traffic) {
  if (isFull(traffic)) socket.pause()
}

/** Whether nothing more is read of the connection until what came is answered. */
export const isFull = ({ unsent }: Traffic): boolean => unsent.length > MOST_UNSENT
