/** Sessions of HTTP/2 that no call uses. */
import type { Http2Session } from 'node:http2'

/** Says GOAWAY once a session has had no call for `idleMs`, and ends it where its client still keeps it after `graceMs`. */
export function closeWhenIdle(session: Http2Session, idleMs: number, graceMs: number): void {
  let open = 0
  let timer = setTimeout(end, idleMs)
  session.on('stream', stream => {
    open++
    clearTimeout(timer)
    stream.once('close', () => {
      open--
      if (open === 0 && !session.destroyed) timer = setTimeout(end, idleMs)
    })
  })
  session.once('close', () => clearTimeout(timer))

  function end() {
    session.close()
    timer = setTimeout(() => session.destroy(), graceMs)
  }
}
