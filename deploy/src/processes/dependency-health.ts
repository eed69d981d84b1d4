/** Whether a service that this process calls is there, as its health tells it. */
import type { Clock, Timer } from '@millhand/process'
import type { ConnectivityEvent } from '@millhand/rpc/tunnel'

export interface DependencyHealthOptions {
  /** Whether a replica is connected that says that it has all it needs. */
  readonly ready: () => boolean
  readonly tell: (ready: boolean) => void
  readonly clock: Clock
}

/** For so long a call waits for a replica: one that restarts within it fails nothing, so its callers stay ready. */
const HOLD_MS = 5_000

/**
 * Tells at once that a service is there, and that all its replicas lack something that they need. That none is connected
 * is told once calls no longer wait for one.
 */
export function dependencyHealth({ ready, tell, clock }: DependencyHealthOptions) {
  let late: Timer | undefined
  const settle = () => {
    late?.cancel()
    late = undefined
    tell(ready())
  }
  settle()
  return {
    onEvent(kind: ConnectivityEvent['kind']) {
      if (ready() || kind === 'unready') settle()
      else late ??= clock.timer(HOLD_MS, settle)
    },
    close: () => late?.cancel(),
  }
}
