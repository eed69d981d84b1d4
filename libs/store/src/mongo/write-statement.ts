import { ObjectId } from 'mongodb'
import type { Change, Document } from '../collection.ts'
import type { UpdateStatement } from './commands.ts'
import { freedFields, HISTORY, indexedFields, keyOf, type Layout, type StoredDocument } from './stored-document.ts'

/** A change as the server is asked for it. Asking again with the same token is harmless: it can be made only once. */
export type WriteStatement = Insertion | Update

interface Statement {
  readonly key: string
  readonly token: string
  /** About how many characters it is. */
  readonly length: number
  /** The version to answer when it was made. */
  readonly becomes: number
}

export interface Insertion extends Statement {
  readonly kind: 'insert'
  readonly document: StoredDocument
}

export interface Update extends Statement {
  readonly kind: 'update'
  /** What the document must have; undefined for one that takes the place of a tombstone. */
  readonly version: number | undefined
  readonly update: UpdateStatement
}

/** Throws a TypeError for a document that lacks a field of an index. */
export function statementOf<T extends Document>(layout: Layout, change: Change<T>, token: string): WriteStatement {
  switch (change.kind) {
    case 'insert':
      return insertion(layout, change, token)
    case 'replace':
      return replacement(layout, change, token)
    case 'remove':
      return removal(layout, change, token)
  }
}

function insertion<T extends Document>(
  layout: Layout,
  change: Change<T> & { kind: 'insert' },
  token: string,
): Insertion {
  const { document, events, version = 1 } = change
  const key = keyOf(document.tenant, document.id)
  const body = JSON.stringify(document)
  const stored: StoredDocument = {
    _id: key,
    version,
    write_id: token,
    outbox_pending: events.length > 0 ? 1 : 0,
    ...indexedFields(layout, document).there,
    body,
    outbox: events,
    writes: [token],
  }
  return { kind: 'insert', key, token, length: lengthOf(change, body), becomes: version, document: stored }
}

/** The same insertion in the place of a tombstone: behind what that still has in its outbox. */
export function overTombstone({ key, token, length, becomes, document }: Insertion): Update {
  const { _id, outbox, writes, ...fields } = document
  const q = { _id: key, version: { $exists: false } }
  const u = { $set: { ...fields, outbox_pending: 1 }, $push: { outbox: { $each: outbox }, writes: last(token) } }
  return { kind: 'update', key, token, length, becomes, version: undefined, update: { q, u } }
}

function replacement<T extends Document>(
  layout: Layout,
  change: Change<T> & { kind: 'replace' },
  token: string,
): Update {
  const { version, document, events, to: becomes = version + 1 } = change
  const key = keyOf(document.tenant, document.id)
  const body = JSON.stringify(document)
  const { there, gone } = indexedFields(layout, document)
  const $set = { version: becomes, write_id: token, ...there, body }
  const $push = { writes: last(token) }
  const u = {
    $set: events.length > 0 ? { ...$set, outbox_pending: 1 } : $set,
    $push: events.length > 0 ? { ...$push, outbox: { $each: events } } : $push,
    ...(gone && { $unset: gone }),
  }
  return {
    kind: 'update',
    key,
    token,
    length: lengthOf(change, body),
    becomes,
    version,
    update: { q: { _id: key, version }, u },
  }
}

function removal<T extends Document>(layout: Layout, change: Change<T> & { kind: 'remove' }, token: string): Update {
  const { version, tenant, id, events } = change
  const key = keyOf(tenant, id)
  const { freed, gone } = freedFields(layout, new ObjectId())
  const u = {
    $set: { write_id: token, outbox_pending: 1, ...freed },
    $unset: gone,
    $push: { outbox: { $each: events }, writes: last(token) },
  }
  const update = { q: { _id: key, version }, u }
  return { kind: 'update', key, token, length: lengthOf(change, ''), becomes: version, version, update }
}

const last = (token: string) => ({ $each: [token], $slice: -HISTORY })

/** What a statement or event is besides its longest text. */
const FIELDS_LENGTH = 500

const lengthOf = ({ events }: Change<Document>, body: string): number =>
  events.reduce((length, { value }) => length + FIELDS_LENGTH + value.length, FIELDS_LENGTH + body.length)
