import type { ObjectId } from 'mongodb'
import type { CollectionSpec, Document, Draft, Index, OutboxEvent, Scalar } from '../collection.ts'
import { byteOrdered } from './byte-order.ts'

/**
 * A document as MongoDB has it. It is sharded by `_id`, whose first part is the tenant.
 *
 * What has been removed stays as a tombstone until its events are out: without `version`, `body` and indexed fields,
 * except that the fields of unique indexes hold an ObjectId, which no other document has.
 */
export interface StoredDocument {
  readonly _id: string
  readonly version?: number
  /** The document as JSON text. A version in it is the caller's old one. */
  readonly body?: string
  /** Events that are not known to be published, oldest first. */
  readonly outbox: readonly OutboxEvent[]
  /** 1 while there may be something in `outbox`, and while this is a tombstone. */
  readonly outbox_pending: 0 | 1
  /** The token of the latest write. */
  readonly write_id: string
  /** The tokens of the latest writes, oldest first, `HISTORY` at most: by them a write of unknown outcome is found. */
  readonly writes: readonly string[]
  readonly [field: string]: unknown
}

export const HISTORY = 4

const OWN_FIELDS = ['_id', 'version', 'body', 'outbox', 'outbox_pending', 'write_id', 'writes']

/** A tenant has a fixed number of slashes, so no two documents share a key. */
export const keyOf = (tenant: string, id: string): string => `${tenant}/${id}`

/** Which fields of its documents a collection stores beside the body. */
export interface Layout {
  readonly collection: string
  /** All of them, tenant and id first. */
  readonly fields: readonly string[]
  /** Those that every document has: of indexes without `when`. */
  readonly always: ReadonlySet<string>
  /** Those of unique indexes. */
  readonly unique: readonly string[]
}

/** Throws for a field that can't be stored beside the body. */
export function layoutOf(spec: CollectionSpec): Layout {
  const indexes = Object.values<Index>(spec.indexes)
  const named = indexes.flatMap(({ fields, when }) => (when ? [...fields, when.field] : fields))
  const fields = [...new Set(['tenant', 'id', ...named])]
  const taken = fields.find(field => OWN_FIELDS.includes(field) || /[$.]/.test(field))
  if (taken !== undefined) throw new Error(`${spec.name}: the field ${taken} can't be indexed`)
  return {
    collection: spec.name,
    fields,
    always: new Set(['tenant', 'id', ...indexes.flatMap(index => (index.when ? [] : index.fields))]),
    unique: [...new Set(indexes.flatMap(index => (index.unique ? index.fields : [])))],
  }
}

/** The values of a document's indexed fields, and which of them it lacks: only an index with `when` allows that. */
export function indexedFields(layout: Layout, document: Draft<Document>) {
  const there: Record<string, Scalar> = {}
  const gone: Record<string, ''> = {}
  let anyGone = false
  for (const field of layout.fields) {
    const value = (document as Record<string, unknown>)[field]
    if (typeof value === 'string' || typeof value === 'number') {
      there[field] = byteOrdered(value)
      continue
    }
    if (layout.always.has(field))
      throw new TypeError(`${layout.collection} ${document.id}: the indexed field ${field} is not a scalar`)
    gone[field] = ''
    anyGone = true
  }
  return { there, gone: anyGone ? gone : undefined }
}

/** What a tombstone has in the fields of unique indexes. */
export function freedFields(layout: Layout, id: ObjectId) {
  const freed = Object.fromEntries(layout.unique.map(field => [field, id]))
  const kept = layout.fields.filter(field => !layout.unique.includes(field))
  return { freed, gone: Object.fromEntries(['version', 'body', ...kept].map(field => [field, ''])) }
}

/** The document in what was stored; none in a tombstone. */
export function documentOf<T extends Document>({ version, body }: Pick<StoredDocument, 'version' | 'body'>) {
  if (version === undefined || body === undefined) return undefined
  const document = JSON.parse(body)
  document.version = version
  return document as T
}
