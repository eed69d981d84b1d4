import { LRUCache } from 'lru-cache'
import { type Handler, handled } from '../handled.ts'
import { partsOf } from './batches.ts'
import type { Connecting } from './client.ts'
import { beMember } from './membership.ts'
import { Places } from './places.ts'

/** How many handled events are remembered: a relay that is repeated sends far fewer again. */
const MOST_HANDLED = 20_000

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
  /** Over all partitions, and over those that go to another member and come back. */
  const done = new LRUCache<string, true>({ max: MOST_HANDLED })
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
          const ids = new Set<string>()
          const fresh = events.filter(({ id }) => !done.has(id) && ids.size < ids.add(id).size)
          if (fresh.length > 0 && !(await handled(fresh, handler, AbortSignal.any([signal, lost])))) {
            if (lost.aborted) throw lost.reason
            return
          }
          for (const { id } of fresh) done.set(id, true)
          payload.resolveOffset(last)
          places.set({ topic, partition }, Number(last) + 1)
          if (signal.aborted) return
        }
      },
    },
    signal,
  )
}
