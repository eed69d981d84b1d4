import { LRUCache } from 'lru-cache'
import { type Handler, handled } from '../handler.ts'
import { partsOf } from './batches.ts'
import type { Connecting } from './client.ts'
import { joinGroup } from './group-member.ts'
import { Offsets } from './offsets.ts'

/** How many handled events are remembered: a relay that is repeated sends far fewer again. */
const MOST_HANDLED = 20_000
const REST_MS = 100

/** See `EventLog.subscribe`; group and topics by their names in Kafka. */
export async function subscribe(
  connecting: Connecting,
  prefix: string,
  group: string,
  topics: readonly string[],
  handler: Handler,
  signal: AbortSignal,
): Promise<void> {
  const offsets = new Offsets()
  /** Over all partitions, and over those that go to another member and come back. */
  const done = new LRUCache<string, true>({ max: MOST_HANDLED })
  const names = { prefix, offsets, log: connecting.log }
  await joinGroup(
    connecting,
    {
      group,
      topics,
      commits: true,
      startOf: () => undefined,
      async take(batches, lost) {
        for (const events of partsOf(batches, names)) {
          if (signal.aborted) return 0
          const ids = new Set<string>()
          const fresh = events.filter(({ id }) => !done.has(id) && ids.size < ids.add(id).size)
          if (fresh.length > 0 && !(await handled(fresh, handler, AbortSignal.any([signal, lost])))) {
            if (lost.aborted) throw lost.reason
            return 0
          }
          for (const { id } of fresh) done.set(id, true)
        }
        return REST_MS
      },
    },
    signal,
  )
}
