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
import type { Collection, CollectionSpec, Database, Document, DocumentRef } from '../collection.ts'
import { Client } from './client.ts'
import { writeCommands } from './commands.ts'
import { keepDeadEvent } from './dead-events.ts'
import { declaredIndexes } from './indexes.ts'
import type { MadeWrite } from './known-outboxes.ts'
import { makeIndexes } from './make-indexes.ts'
import { mongoCollection } from './mongo-collection.ts'
import { onceMade, type Ready } from './once-made.ts'
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
   * What is published is taken out by the next write of its document in this process, or 0.1 s later.
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

/** Connects at the first use, and again for ever. Throws when the URL is none. */
export function openMongo({ url, log, onOutbox = () => {} }: MongoOptions): MongoDatabase {
  const client = new Client(url, log)
  const { db } = client
  const commands = writeCommands(db)
  const tokens = new WriteTokens()
  const collections: { readonly name: string; readonly ready: Ready }[] = []
  const outboxes = new Map<string, Outbox>()
  const rings = oncePerTurn(onOutbox)
  let relay: OutboxRelay | undefined

  return {
    collection<T extends Document, I extends string>(spec: CollectionSpec<I>): Collection<T, I> {
      const collection = db.collection<StoredDocument>(spec.name)
      const layout = layoutOf(spec)
      const indexes = declaredIndexes(spec)
      const ready = onceMade(async () => {
        await client.connected()
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
        begin(tenant, id, leaves) {
          const key = keyOf(tenant, id)
          const begunIn = relay
          const ongoing = relay?.known.beginWrite(outbox, key, leaves)
          const end = (made: MadeWrite | undefined) => {
            if (begunIn && begunIn === relay) {
              if (ongoing) relay.known.endWrite(ongoing, made)
            } else if (made && leaves) {
              if (relay) relay.known.changed(outbox, key)
              else rings({ collection: spec.name, tenant, id })
            }
          }
          return { expected: ongoing?.expected, end }
        },
      })
      return {
        get: (tenant, id) => client.read(() => inner.get(tenant, id)),
        find: (index, query) => client.read(() => inner.find(index, query)),
        count: (index, range, limit) => client.read(() => inner.count(index, range, limit)),
        write: change => client.write(() => inner.write(change)),
      }
    },

    async prepare(signal) {
      for (const { name, ready } of collections) {
        const make = () => client.during(async () => ready())
        await prepare({ name, make, clock: systemClock, log }, signal)
      }
    },

    relay: (options, signal) =>
      client.during(async () => {
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
          await relay.run(AbortSignal.any([signal, client.closing]))
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

    ping: signal => client.ping(signal),
    close: () => client.close(),
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
