/** A connection that can't be accepted, as without file descriptors, ends no server: libuv tries again. */
import type { Server } from 'node:net'
import { type Clock, systemClock } from '@millhand/process'
import type { Log } from '@millhand/telemetry'

/** Without descriptors every connection fails; the log hears of the first in so many milliseconds. */
const SAY_EVERY_MS = 10_000

/** Says `connection.not_accepted` instead. For a server that listens: what keeps it from listening is another matter. */
export function ignoreAcceptErrors(
  server: Pick<Server, 'on'>,
  log: Log,
  clock: Pick<Clock, 'monotonic'> = systemClock,
): void {
  let saidAt = Number.NEGATIVE_INFINITY
  let more = 0
  server.on('error', error => {
    const now = clock.monotonic()
    if (now - saidAt < SAY_EVERY_MS) {
      more++
      return
    }
    log.warn('connection.not_accepted', { error, unsaid_before: more })
    saidAt = now
    more = 0
  })
}
