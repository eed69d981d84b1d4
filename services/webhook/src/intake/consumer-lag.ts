/** How far the intake is behind the event log. Any replica can tell: it asks the log, and the offset that is stored. */
import type { EventLog, Progress } from '@millhand/eventlog'
import type { Clock } from '@millhand/process'
import { type Offsets, openOffset } from './offset.ts'

export interface ConsumerLag {
  /** How many events it has not taken up. */
  readonly events: number
  /** For how long the oldest of them has been there: about, and only since the first look. */
  readonly seconds: number
}

export interface ConsumerLagDeps {
  readonly events: Pick<EventLog, 'progress'>
  readonly topics: readonly string[]
  readonly offsets: Pick<Offsets, 'get' | 'write'>
  readonly clock: Pick<Clock, 'monotonic'>
}

/** Where the log ended at a time. */
interface Look {
  readonly end: number
  readonly at: number
}

const MAX_LOOKS = 500

/** Each look is remembered: what the log had then has been there since. Fails where log or store can't be asked. */
export function createConsumerLag(deps: ConsumerLagDeps): () => Promise<ConsumerLag> {
  /** Of the log's ends those that are not read up to, and before them the latest that is: the oldest first. */
  let looks: Look[] = []
  return async () => {
    const { read, end } = await progressOf(deps)
    const at = deps.clock.monotonic()
    looks.push({ end, at })
    const done = looks.findLastIndex(look => look.end <= read)
    looks = looks.slice(Math.max(done, 0))
    // Of many every second one is enough, for then they are spread over a long time.
    if (looks.length > MAX_LOOKS) looks = looks.filter((_, n) => n % 2 === 0)
    const since = looks[0]?.at ?? at
    return { events: end - read, seconds: end === read ? 0 : (at - since) / 1000 }
  }
}

async function progressOf({ events, topics, offsets }: ConsumerLagDeps): Promise<Progress> {
  const { position } = await openOffset(offsets)
  try {
    return await events.progress(topics, position)
  } catch (error) {
    if (error instanceof RangeError) return await events.progress(topics, 'beginning') // As the intake does.
    throw error
  }
}
