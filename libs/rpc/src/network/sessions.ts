/** The HTTP/2 sessions of a server: kept an eye on, and ended without cutting what is under way. */
import type { ServerHttp2Session } from 'node:http2'

export interface KeepAlive {
  /** How often the other side is asked whether it is there, in milliseconds. */
  readonly pingEveryMs: number
  /** How long it may take to say so. */
  readonly pingTimeoutMs: number
}

export const defaultKeepAlive: KeepAlive = { pingEveryMs: 10_000, pingTimeoutMs: 5_000 }

export interface Sessions {
  /** Takes over a new session. */
  add(session: ServerHttp2Session): void
  /** Sends GOAWAY on every session that is open now: its client opens another for its next calls. */
  leave(): void
  /**
   * Sends GOAWAY on every session, and on those that come later; each ends with its last stream. A stream that was on
   * its way is not begun, and its client is told so by the number in the GOAWAY: it can ask another server. (To take
   * those in needs a GOAWAY before that one, RFC 9113, section 6.8, after which Node takes no more streams.)
   */
  drain(): void
}

export function createSessions(keepAlive: KeepAlive): Sessions {
  const open = new Set<ServerHttp2Session>()
  let draining = false
  return {
    add(session) {
      open.add(session)
      session.once('close', () => open.delete(session))
      watch(session, keepAlive)
      if (draining) session.close()
    },
    leave() {
      for (const session of open) session.close()
    },
    drain() {
      draining = true
      for (const session of open) session.close()
    },
  }
}

/** A ping may take so many ticks. */
const PING_TICKS = 10

/**
 * Ends a session whose other side has gone without a word. It counts its own ticks and not time: where this process itself
 * stood still, the answers that came meanwhile are read between two ticks.
 */
function watch(session: ServerHttp2Session, { pingEveryMs, pingTimeoutMs }: KeepAlive): void {
  let isUnanswered = false
  let ticks = 0
  const asking = setInterval(() => {
    if (isUnanswered || session.closed || session.destroyed) return
    isUnanswered = true
    ticks = 0
    session.ping(error => {
      if (error === null) isUnanswered = false
    })
  }, pingEveryMs)
  const ticking = setInterval(() => {
    if (isUnanswered && ++ticks >= PING_TICKS) session.destroy()
  }, pingTimeoutMs / PING_TICKS)
  session.once('close', () => {
    clearInterval(asking)
    clearInterval(ticking)
  })
}
