/**
 * The store in MongoDB 6.0 or later, for the shape of many processes.
 *
 * A document is one MongoDB document, and a write one atomic update of it: fields, body, the version in its filter,
 * and the events, pushed to an outbox inside the document, from where a relay publishes them. No transactions, and
 * nothing that only some servers have. Writes are answered when a majority has them in its journal; reads are the
 * primary's, and show only such writes.
 *
 * While the server is away, or stands still, a call waits for it for 5 s; then a circuit opens, and calls fail as
 * `unavailable` at once until the server answers again. A write that was sent before goes on: it waits for its answer for
 * 10 s, then for 5 s to find out what became of it, of which the last try may take 5 s more.
 */
import { systemClock } from '@millhand/process'
import type { Log } from '@millhand/telemetry'
import { MongoClient, type MongoClientOptions } from 'mongodb'
import type { Collection, CollectionSpec, Database, Document, DocumentRef } from '../collection.ts'
import { CircuitBreaker } from './circuit-breaker.ts'
import { writeCommands } from './commands.ts'
import { asked, circuitOpen, isPassing, timeoutsFor, unreachable } from './connection.ts'
import { keepDeadEvent } from './dead-events.ts'
import { declaredIndexes } from './indexes.ts'
import { makeIndexes } from './make-indexes.ts'
import { mongoCollection } from './mongo-collection.ts'
import { type Outbox, outboxOf } from './outbox.ts'
import { OutboxRelay, type RelayOptions } from './outbox-relay.ts'
import { prepare } from './prepare.ts'
import { keyOf, layoutOf, type StoredDocument } from './stored-document.ts'
import { OutcomeUnknown, writeGroups } from './write-groups.ts'
import { WriteTokens } from './write-tokens.ts'

export type { RelayOptions } from './outbox-relay.ts'
export { OutcomeUnknown }

export interface MongoOptions {
  /** With the database's name, `replicaSet` where it is one, and other timeouts than ours where they are wanted. */
  readonly url: string
  readonly log: Log
  /** Hears, once a turn, of documents that this process wrote with events while no relay ran in it. */
  readonly onOutbox?: (refs: readonly DocumentRef[]) => void
}

export interface MongoDatabase extends Database {
  /**
   * Makes the indexes of the collections asked for so far; repeats with backoff while the server is away, until the
   * signal ends: then it rejects. Rejects when the server refuses an index five times. What is written or found before is
   * preceded by the indexes of its collection all the same.
   */
  prepare(signal: AbortSignal): Promise<void>

  /**
   * Publishes what writes have left in outboxes, until the signal ends: at first everything that waits, then each
   * write of this process and each ring, at once after quiet and else within 10 ms, and once a second what was missed.
   * Per document in order, one `publish` in flight at a time over all, at most 500 events each. A publish that rejects
   * is repeated with backoff, for ever; none is skipped. Only what `EventsRefused` names is not: the log tells of it as
   * an error, and the collection `dead_events` keeps it. A publish is repeated too when the relay ends before the events
   * are taken out. Several relays at once, in any processes, repeat each other, and keep the order all the same: an
   * event's first publish is never before that of an older one of its document. Rejects when one runs in this process
   * already.
   */
  relay(options: RelayOptions, signal: AbortSignal): Promise<void>

  /** Looks at the outboxes of these documents now. Does nothing without a relay. */
  ring(refs: readonly DocumentRef[]): void

  /** Rejects while the server can't be asked. */
  ping(signal?: AbortSignal): Promise<void>

  /** Ends the relay, waits for what is under way, and disconnects. Idempotent. */
  close(): Promise<void>
}

/** No retries by the driver: `settle` asks what became of a write before it repeats it. */
const SETTINGS = {
  appName: 'millhand',
  retryWrites: false,
  writeConcern: { w: 'majority', journal: true },
  readConcern: { level: 'majority' },
  readPreference: 'primary',
  ignoreUndefined: true,
} as const satisfies MongoClientOptions

/** Connects at the first use, and again for ever. Throws when the URL is none. */
export function openMongo({ url, log, onOutbox = () => {} }: MongoOptions): MongoDatabase {
  const client = new MongoClient(url, { ...SETTINGS, ...timeoutsFor(url) })
  const db = client.db()
  // By ourselves: when the driver's own first attempt fails, it never makes another.
  const connected = onceMade(async () => {
    await client.connect()
  })
  const commands = writeCommands(db)
  const tokens = new WriteTokens()
  const collections: { readonly name: string; readonly ready: Ready }[] = []
  const outboxes = new Map<string, Outbox>()
  const rings = oncePerTurn(onOutbox)
  const closing = new AbortController()
  const underWay = new Set<Promise<unknown>>()
  let relay: OutboxRelay | undefined
  let closed: Promise<void> | undefined

  /** Keeps the connection until the work is done; refuses it after `close`. */
  async function during<R>(work: () => Promise<R>): Promise<R> {
    if (closed) throw new Error('the store is closed')
    const working = work()
    underWay.add(working)
    try {
      return await working
    } finally {
      underWay.delete(working)
    }
  }

  const ping = async (signal?: AbortSignal) => {
    await connected()
    await db.command({ ping: 1 }, signal ? { signal } : {})
    circuit.answered()
  }
  const circuit = new CircuitBreaker({
    clock: systemClock,
    probe: () => during(ping),
    isSilence: isPassing,
    refusal: circuitOpen,
    onChange: isOpen => (isOpen ? log.warn('store.circuit_opened') : log.info('store.circuit_closed')),
  })

  const read = <R>(work: () => Promise<R>): Promise<R> => asked(() => during(() => circuit.read(work)))
  /** For callers: what can't be told is a failure of the way to the server too. */
  const write = <R>(work: () => Promise<R>): Promise<R> =>
    asked(() =>
      during(() => circuit.write(work)).catch(error => {
        throw error instanceof OutcomeUnknown ? unreachable(error) : error
      }),
    )

  async function close(): Promise<void> {
    closing.abort()
    circuit.close()
    await Promise.allSettled(underWay)
    await client.close()
  }

  return {
    collection<T extends Document, I extends string>(spec: CollectionSpec<I>): Collection<T, I> {
      const collection = db.collection<StoredDocument>(spec.name)
      const layout = layoutOf(spec)
      const indexes = declaredIndexes(spec)
      const ready = onceMade(async () => {
        await connected()
        await makeIndexes({ collection, commands, layout, indexes, log })
      })
      const outbox = outboxOf({ collection, commands, ready })
      outboxes.set(spec.name, outbox)
      collections.push({ name: spec.name, ready })
      const inner = mongoCollection<T, I>({
        collection,
        layout,
        indexes,
        groups: writeGroups({ collection, commands, indexes }),
        tokens,
        clock: systemClock,
        ready,
        wrote(tenant, id, view) {
          if (relay) relay.written(outbox, keyOf(tenant, id), view)
          else rings({ collection: spec.name, tenant, id })
        },
      })
      return {
        get: (tenant, id) => read(() => inner.get(tenant, id)),
        find: (index, query) => read(() => inner.find(index, query)),
        count: (index, range, limit) => read(() => inner.count(index, range, limit)),
        write: change => write(() => inner.write(change)),
      }
    },

    async prepare(signal) {
      for (const { name, ready } of collections) {
        const make = () => during(async () => ready())
        await prepare({ name, make, clock: systemClock, log }, signal)
      }
    },

    relay: (options, signal) =>
      during(async () => {
        if (relay) throw new Error('a relay runs in this process already')
        const isKnown = (token: string) => tokens.isKnown(token)
        relay = new OutboxRelay({
          ...options,
          outboxes: () => [...outboxes.values()],
          isKnown,
          setAside: ({ event, ...where }) =>
            keepDeadEvent(commands, { _id: event.id, ...where, set_aside_at: new Date(), event }),
          clock: systemClock,
          log,
        })
        try {
          await relay.run(AbortSignal.any([signal, closing.signal]))
        } finally {
          relay = undefined
        }
      }),

    ring(refs) {
      for (const { collection, tenant, id } of refs) {
        const outbox = outboxes.get(collection)
        if (outbox) relay?.ring(outbox, keyOf(tenant, id))
      }
    },

    ping: signal => during(() => ping(signal)),

    close() {
      closed ??= close()
      return closed
    },
  }
}

type Ready = () => Promise<void> | undefined

/** What is to be made once: the work under way, if it is not made yet. After a failure the next call tries again. */
function onceMade(make: () => Promise<void>): Ready {
  let isMade = false
  let making: Promise<void> | undefined
  const work = async () => {
    try {
      await make()
      isMade = true
    } finally {
      making = undefined
    }
  }
  return () => {
    if (isMade) return undefined
    making ??= work()
    return making
  }
}

/** Gathers what it is called with in one turn of the event loop. */
function oncePerTurn<T>(tell: (items: readonly T[]) => void): (item: T) => void {
  let items: T[] = []
  return item => {
    items.push(item)
    if (items.length > 1) return
    setImmediate(() => {
      const gathered = items
      items = []
      tell(gathered)
    })
  }
}
