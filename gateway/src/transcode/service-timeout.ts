/** The timeout of a streaming call that lasts as long as its caller takes: only the service's own time counts. */
import { fail } from '@millhand/api'

/** Milliseconds. */
const TIMEOUT_MS = 30_000

/** `start` when the call waits for the service, `stop` when the service has answered. */
export interface ServiceTimeout {
  start(): void
  stop(): void
}

export function createServiceTimeout(ending: AbortController): ServiceTimeout {
  let timer: NodeJS.Timeout | undefined
  return {
    start() {
      clearTimeout(timer)
      timer = setTimeout(() => ending.abort(fail('deadline_exceeded', 'The service took too long.')), TIMEOUT_MS)
    },
    stop: () => clearTimeout(timer),
  }
}
