/** Time limits of calls that last as long as their caller takes. */
import { fail } from '@millhand/api'

/** Milliseconds that a service may take for what it has. */
const TURN_MS = 30_000

/** Ends a streaming call when its service keeps it waiting: `start` when it is the service's turn, `stop` when it was. */
export interface ServiceTime {
  start(): void
  stop(): void
}

export function createServiceTime(ending: AbortController): ServiceTime {
  let timer: NodeJS.Timeout | undefined
  return {
    start() {
      clearTimeout(timer)
      timer = setTimeout(() => ending.abort(fail('deadline_exceeded', 'The service took too long.')), TURN_MS)
    },
    stop: () => clearTimeout(timer),
  }
}
