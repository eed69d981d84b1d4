import type { Collection as MongoCollection } from 'mongodb'
import type { Document, OutboxEvent } from '../collection.ts'
import type { WriteCommands } from './commands.ts'
import { OUTBOX_INDEX } from './indexes.ts'
import { documentOf, type StoredDocument } from './stored-document.ts'

/** What a document's outbox held at one moment: all of it, oldest first. */
export interface OutboxView {
  readonly key: string
  /** The token of the write that left it so. */
  readonly writeId: string
  readonly events: readonly OutboxEvent[]
  /** Whether it is marked as one that may hold something. */
  readonly pending: boolean
  /** Whether nothing is left of the document but this. */
  readonly tombstone: boolean
  /** The document, where it was asked for and is there. */
  readonly document?: Document | undefined
}

/** How many documents are read in one step of a sweep. */
const PAGE = 200

const EVENTS = { _id: 1, version: 1, write_id: 1, outbox: 1, outbox_pending: 1 } as const

export interface OutboxOptions {
  readonly collection: MongoCollection<StoredDocument>
  readonly commands: WriteCommands
  /** Waits for the connection and the indexes, until they were there once. */
  readonly ready: () => Promise<void> | undefined
}

/** The outboxes of a collection's documents. */
export function outboxOf({ collection, commands, ready }: OutboxOptions) {
  const name = collection.collectionName
  return {
    name,

    /** What is in these outboxes; of documents that are there. */
    async read(keys: readonly string[], options: { readonly documents: boolean }): Promise<OutboxView[]> {
      await ready()
      const projection = options.documents ? { ...EVENTS, body: 1 } : EVENTS
      return (await collection.find({ _id: { $in: keys } }, { projection }).toArray()).map(viewOf)
    },

    /** The next outboxes, with documents, that may hold something, in the order of keys; none after the last. */
    async waiting(after: string): Promise<OutboxView[]> {
      await ready()
      const found = collection.find(
        { outbox_pending: 1, _id: { $gt: after } },
        { projection: { ...EVENTS, body: 1 }, sort: { _id: 1 }, limit: PAGE, hint: OUTBOX_INDEX.name },
      )
      return (await found.toArray()).map(viewOf)
    },

    /**
     * Takes the events of these views out: they are published. Where nothing was written since, there is nothing more
     * in the outbox, and a tombstone goes; else only these events go. Doing it again is harmless. Leaves the version.
     */
    async clear(views: readonly OutboxView[]): Promise<void> {
      const living = views.filter(({ tombstone }) => !tombstone)
      const gone = views.filter(({ tombstone }) => tombstone)
      const untouched = ({ key, writeId }: OutboxView) => ({ _id: key, write_id: writeId })
      if (living.length > 0) {
        const { n } = checked(
          await commands.update(
            name,
            living.map(view => ({ q: untouched(view), u: EMPTIED })),
          ),
        )
        if (n < living.length) await pull(living)
      }
      if (gone.length > 0) {
        const { n } = checked(await commands.delete(name, gone.map(untouched)))
        if (n < gone.length) await pull(gone)
      }
    },
  }

  /** Leaves `outbox_pending`: what was written meanwhile may have come with events. */
  async function pull(views: readonly OutboxView[]): Promise<void> {
    const updates = views.map(({ key, events }) => ({
      q: { _id: key, outbox_pending: 1 },
      u: { $pull: { outbox: { id: { $in: events.map(({ id }) => id) } } } },
    }))
    checked(await commands.update(name, updates))
  }
}

export type Outbox = ReturnType<typeof outboxOf>

const EMPTIED = { $set: { outbox: [], outbox_pending: 0 } }

function viewOf(stored: StoredDocument): OutboxView {
  return {
    key: stored._id,
    writeId: stored.write_id,
    events: stored.outbox,
    pending: stored.outbox_pending === 1,
    tombstone: stored.version === undefined,
    document: documentOf(stored),
  }
}

function checked(reply: Awaited<ReturnType<WriteCommands['update']>>) {
  for (const error of reply.errors.values()) throw error
  return reply
}
