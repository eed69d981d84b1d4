/**
 * A collection of documents: the port behind which SQLite and MongoDB stand. Its promises are these comments, and
 * `collection.contract.ts` holds every adapter to them.
 */

/**
 * A value that can be indexed. Strings compare by their UTF-8 bytes, numbers by value; one field holds one kind.
 * Strings have no lone surrogates and numbers are finite.
 */
export type Scalar = string | number

/**
 * What every document carries. `tenant` is `<account id>/<mode>`: the account and whether it is the sandbox, in one
 * word, so that neither accounts nor modes can be crossed by forgetting a filter.
 */
export interface Document {
  readonly tenant: string
  readonly id: string
  /** What the insert says, else 1; `replace` raises it. What a draft says of it counts for nothing. */
  readonly version: number
}

/** The tenant of what belongs to no account. */
export const noAccount = 'millhand/live'

/** A document, by name. */
export interface DocumentRef {
  readonly collection: string
  readonly tenant: string
  readonly id: string
}

/** A document as its owner makes it, before the store numbers it. */
export type Draft<T extends Document> = Omit<T, 'version'>

export interface Index {
  /** The indexed fields, most significant first. In a document within the index every one is a Scalar. */
  readonly fields: readonly string[]
  /** Only documents whose field holds one of these values are in the index: `find` gives no others. */
  readonly when?: { readonly field: string; readonly in: readonly string[] }
  /** At most one document for each combination of the fields' values. Unique indexes have no `when`. */
  readonly unique?: true
}

export interface CollectionSpec<Indexes extends string = string> {
  /** Lower-case snake_case: the name of the table or collection. */
  readonly name: string
  readonly indexes: Readonly<Record<Indexes, Index>>
  /**
   * Inserts are refused as `unavailable` while the disk is nearly full: what is left is for ends, revocations and
   * removals. For what callers make. Heeded where the store is on a disk of ours: SQLite.
   */
  readonly refusedWhenFull?: true
}

/** An event, ready for the log: it is appended in the same atomic write as the change that caused it. */
export interface OutboxEvent {
  readonly topic: string
  /** The resource's id: events of one key keep their order. */
  readonly key: string
  /** `evt_…`, the same wherever the event is seen. */
  readonly id: string
  /** For example `task.queued`. */
  readonly type: string
  /** Milliseconds since 1970. */
  readonly time: number
  /** JSON text. */
  readonly value: string
  /** W3C trace context, where there is one. */
  readonly traceparent?: string
}

export type Change<T extends Document> =
  /**
   * Stores a new document as `version`, a positive integer; as 1 where that is left out. Conflict `primary` when
   * (tenant, id) is taken. Ids that are inserted again after a removal say one that no earlier life has reached: else
   * whoever has read an earlier one could take this for it.
   */
  | {
      readonly kind: 'insert'
      readonly version?: number
      readonly document: Draft<T>
      readonly events: readonly OutboxEvent[]
    }
  /**
   * Replaces the document where it still has `version`, and makes it `to`, a higher one; `version + 1` where that is left
   * out. Else conflict `version`.
   */
  | {
      readonly kind: 'replace'
      readonly version: number
      readonly to?: number
      readonly document: Draft<T>
      readonly events: readonly OutboxEvent[]
    }
  /** Removes the document where it still has `version`. Else conflict `version`. */
  | {
      readonly kind: 'remove'
      readonly version: number
      readonly tenant: string
      readonly id: string
      readonly events: readonly OutboxEvent[]
    }

export type WriteResult =
  | { readonly kind: 'written'; readonly version: number }
  /** Nothing was changed and no event appended. `index`: `primary`, `version`, or the name of a unique index. */
  | { readonly kind: 'conflict'; readonly index: string }

/** Which documents, in the order of an index. */
export interface Range {
  /** Equal values for the first fields of the index. */
  readonly equals: readonly Scalar[]
  /**
   * The next field after `equals`, and any after it, compared as a tuple: strictly after / strictly before. After the
   * index's last field the tuple may go on with what it lacks of tenant and id, in this order: the tie-breakers.
   */
  readonly after?: readonly Scalar[]
  readonly before?: readonly Scalar[]
}

export interface Query extends Range {
  readonly order?: 'asc' | 'desc'
  /** How many at most, 1 to 10,000. */
  readonly limit: number
}

export interface Collection<T extends Document, Indexes extends string = string> {
  /** The document. Sees every write that was answered before the call, and shows none that is not durable. */
  get(tenant: string, id: string): Promise<T | undefined>

  /**
   * Documents in the order of an index, ties by (tenant, id). Besides the declared ones there is `primary`:
   * (tenant, id). Sees every write that was answered before the call, and shows none that is not durable.
   */
  find(index: Indexes | 'primary', query: Query): Promise<T[]>

  /**
   * How many documents `find` would find, at most `limit` (1 or more): it looks at no more than so many. Sees every write
   * that was answered before the call, and of those under way any.
   */
  count(index: Indexes | 'primary', range: Range, limit: number): Promise<number>

  /**
   * Makes one change and appends its events, both or neither, and answers only once that is durable: it survives
   * kill -9 and loss of power. A change that meets a conflict changes nothing, and disturbs no other write.
   * Rejects when the outcome is a failure of the store itself; then the change may or may not have been made.
   */
  write(change: Change<T>): Promise<WriteResult>
}

/** Where collections are. */
export interface Database {
  /** The collection, with what its spec wants made there. One call a collection and process. */
  collection<T extends Document, I extends string = never>(spec: CollectionSpec<I>): Collection<T, I>
}
