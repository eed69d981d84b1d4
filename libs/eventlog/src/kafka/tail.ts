import type { IsUrgent, LoggedEvent } from '../event-log.ts'
import { partsOf } from './batches.ts'
import type { Connecting } from './client.ts'
import { type GroupMember, joinGroup } from './group-member.ts'
import type { Offsets } from './offsets.ts'
import { withAdmin } from './topics.ts'

export interface TailOptions {
  readonly prefix: string
  /** By their names in Kafka. */
  readonly topics: readonly string[]
  /** Where to begin; undefined when the signal has ended. */
  startAt(): Promise<Offsets | undefined>
  /** Whether what comes behind such an event is fetched at once. */
  readonly isUrgent: IsUrgent
  /** Takes note of what goes on, for `close` to wait for. */
  owned<T>(work: Promise<T>): Promise<T>
}

const DELETE_MS = 2000
/** After a fetch that brought nothing urgent. */
const REST_MS = 50

/**
 * Yields what comes after the offsets. kafkajs reads only as a member of a group, so each tail is a group of its own,
 * which commits nothing and is deleted at the end; one that is not, because the process was killed, Kafka removes.
 */
export async function* tail(
  connecting: Connecting,
  { prefix, topics, startAt, isUrgent, owned }: TailOptions,
  signal: AbortSignal,
): AsyncGenerator<readonly LoggedEvent[]> {
  const offsets = await startAt()
  if (offsets === undefined) return
  const left = new AbortController()
  const stopped = AbortSignal.any([signal, left.signal])
  const hand = new HandOver(stopped)
  const names = { prefix, offsets, log: connecting.log }
  const membership: GroupMember = {
    group: `${prefix}tail.${crypto.randomUUID()}`,
    topics,
    commits: false,
    startOf: partition => offsets.get(partition),
    async take(batches) {
      let rests = true
      for (const events of partsOf(batches, names)) {
        rests &&= !events.some(isUrgent)
        await hand.give(events)
        if (stopped.aborted) return 0
      }
      return rests ? REST_MS : 0
    },
  }
  const reading = owned(joinGroup(connecting, membership, stopped).then(() => deleteGroup(connecting, membership)))
  try {
    for (let events = await hand.take(); events !== undefined; events = await hand.take()) yield events
  } finally {
    left.abort()
    await reading
  }
}

async function deleteGroup(connecting: Connecting, { group }: GroupMember): Promise<void> {
  try {
    await withAdmin(connecting, AbortSignal.timeout(DELETE_MS), admin => admin.deleteGroups([group]))
  } catch (error) {
    connecting.log.debug('kafka.group_left_behind', { group, error })
  }
}

/** From one who gives to one who takes, without a buffer. Both are let go when the signal ends. */
class HandOver {
  readonly #signal: AbortSignal
  #offered: { readonly events: readonly LoggedEvent[]; readonly taken: () => void } | undefined
  #wanted: ((events: readonly LoggedEvent[] | undefined) => void) | undefined

  constructor(signal: AbortSignal) {
    this.#signal = signal
    signal.addEventListener('abort', () => {
      this.#offered?.taken()
      this.#wanted?.(undefined)
    })
  }

  /** Resolves when they are taken. */
  async give(events: readonly LoggedEvent[]): Promise<void> {
    if (this.#signal.aborted) return
    await new Promise<void>(taken => {
      this.#offered = { events, taken }
      this.#meet()
    })
  }

  async take(): Promise<readonly LoggedEvent[] | undefined> {
    if (this.#signal.aborted) return
    return await new Promise(wanted => {
      this.#wanted = wanted
      this.#meet()
    })
  }

  #meet(): void {
    if (this.#offered === undefined || this.#wanted === undefined) return
    this.#wanted(this.#offered.events)
    this.#offered.taken()
    this.#offered = undefined
    this.#wanted = undefined
  }
}
