import type { LoggedEvent } from '../event-log.ts'
import { partsOf } from './batches.ts'
import type { Connecting } from './client.ts'
import { beMember } from './membership.ts'
import { Places } from './places.ts'
import { pause } from './waiting.ts'

export type Handler = (events: readonly LoggedEvent[]) => Promise<void>

const FIRST_BACKOFF_MS = 100
const LAST_BACKOFF_MS = 10_000

/** See `EventLog.subscribe`; group and topics by their names in Kafka. */
export async function subscribe(
  connecting: Connecting,
  prefix: string,
  group: string,
  topics: readonly string[],
  handler: Handler,
  signal: AbortSignal,
): Promise<void> {
  const places = new Places()
  const names = { prefix, places, log: connecting.log }
  await beMember(
    connecting,
    {
      group,
      topics,
      commits: true,
      startOf: () => undefined,
      async take(payload, lost) {
        const { topic, partition } = payload.batch
        for (const { events, last } of partsOf(payload, names)) {
          if (events.length > 0 && !(await handled(events, handler, AbortSignal.any([signal, lost])))) {
            if (lost.aborted) throw lost.reason
            return
          }
          payload.resolveOffset(last)
          places.set({ topic, partition }, Number(last) + 1)
          if (signal.aborted) return
        }
      },
    },
    signal,
  )
}

/** Calls the handler until it resolves: true; or until the signal ends after a failure: false. */
async function handled(events: readonly LoggedEvent[], handler: Handler, signal: AbortSignal): Promise<boolean> {
  for (let backoff = FIRST_BACKOFF_MS; ; backoff = Math.min(backoff * 2, LAST_BACKOFF_MS)) {
    try {
      await handler(events)
      return true
    } catch {
      // The handler's owner knows what failed and says so; here it only means: again.
      await pause(backoff, signal)
      if (signal.aborted) return false
    }
  }
}
