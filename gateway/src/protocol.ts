/** Tells HTTP/2 from HTTP/1.1 by the first bytes of a connection (RFC 9113, section 3.3: prior knowledge). */
import type { Socket } from 'node:net'

export interface ProtocolHandlers {
  /** The connection is one of HTTP/1.1, or of anything else that is not HTTP/2; `first` was read of it, and is to be pushed. */
  http1(first: Buffer): void
  /** The connection is one of HTTP/2; what was read of it is put back. */
  http2(): void
  /** Nothing came in the time that it may take. */
  silent(): void
}

/** What a client of HTTP/2 sends first; no method of HTTP/1.1 begins so. */
const PREFACE = Buffer.from('PRI')

/** Calls one of the handlers, unless the connection ends before. */
export function detectProtocol(socket: Socket, timeoutMs: number, handlers: ProtocolHandlers): void {
  let seen: Buffer = Buffer.alloc(0)
  const timer = setTimeout(() => {
    stop()
    handlers.silent()
  }, timeoutMs)
  socket.on('data', take).on('end', end).on('close', stop).on('error', fail)

  function take(chunk: Buffer) {
    seen = seen.length === 0 ? chunk : Buffer.concat([seen, chunk])
    const length = Math.min(seen.length, PREFACE.length)
    const mayBeHttp2 = seen.compare(PREFACE, 0, length, 0, length) === 0
    if (mayBeHttp2 && seen.length < PREFACE.length) return
    stop()
    socket.pause()
    if (!mayBeHttp2) return handlers.http1(seen)
    socket.unshift(seen)
    handlers.http2()
  }

  function end() {
    stop()
    socket.destroySoon()
  }

  function fail() {
    stop()
    socket.destroy()
  }

  function stop() {
    clearTimeout(timer)
    socket.off('data', take).off('end', end).off('close', stop).off('error', fail)
  }
}
