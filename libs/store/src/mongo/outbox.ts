import type { Collection as MongoCollection } from 'mongodb'
import type { Document, OutboxEvent } from '../collection.ts'
import type { WriteCommands } from './commands.ts'
import { OUTBOX_INDEX } from './indexes.ts'
import { documentOf, type StoredDocument } from './stored-document.ts'

/** Names what a document's outbox held at one moment. */
export interface OutboxMark {
  readonly key: string
  /** The token of the write that left it so. */
  readonly writeId: string
  /** Whether nothing is left of the document but this. */
  readonly tombstone: boolean
}

/** All of what a document's outbox held at one moment, oldest first. */
export interface OutboxView extends OutboxMark {
  readonly events: readonly OutboxEvent[]
  /** Whether it is marked as one that may hold something. */
  readonly pending: boolean
  /** The document, where it was asked for and is there. */
  readonly document?: Document | undefined
}

/** How many documents are found in one step of a sweep. */
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

    /** The next outboxes that may hold something, in the order of keys; none after the last. */
    async waiting(after: string): Promise<Pick<OutboxMark, 'key' | 'writeId'>[]> {
      await ready()
      const found = collection.find(
        { outbox_pending: 1, _id: { $gt: after } },
        { projection: { write_id: 1 }, sort: { _id: 1 }, limit: PAGE, hint: OUTBOX_INDEX.name },
      )
      return (await found.toArray()).map(({ _id, write_id }) => ({ key: _id, writeId: write_id }))
    },

    /**
     * Empties these outboxes: all that they held is published. One that was written since is left as it is: who wrote
     * that knows what is in there, or it is read. A tombstone goes. Whether all of them were as they are named. Doing it
     * again is harmless. Leaves the version.
     */
    async clear(marks: readonly OutboxMark[]): Promise<boolean> {
      const living = marks.filter(({ tombstone }) => !tombstone)
      const gone = marks.filter(({ tombstone }) => tombstone)
      const untouched = ({ key, writeId }: OutboxMark) => ({ _id: key, write_id: writeId })
      let cleared = 0
      if (living.length > 0) {
        const updates = living.map(mark => ({ q: untouched(mark), u: EMPTIED }))
        cleared += checked(await commands.update(name, updates)).n
      }
      if (gone.length > 0) cleared += checked(await commands.delete(name, gone.map(untouched))).n
      return cleared === marks.length
    },
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
