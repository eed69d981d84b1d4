import { ObjectId } from 'mongodb'
import type { Change, Document, OutboxEvent } from '../collection.ts'
import type { UpdateStatement } from './commands.ts'
import { freedFields, HISTORY, indexedFields, keyOf, type Layout, type StoredDocument } from './stored-document.ts'

/** A change as the server is asked for it. Asking again with the same token is harmless: it can be made only once. */
export type WriteStatement = Insertion | Update

/** What a write expects of the outbox, so that this process knows what is in there after it. */
export interface ExpectedOutbox {
  /** The write that left it; undefined for an empty one. */
  readonly writeId: string | undefined
  /** What stays in there before the write's own events, where something is published: the write takes that out. */
  readonly keeps: readonly OutboxEvent[] | undefined
}

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
  /** The same where the outbox is not as `update` expects it: behind what is in there. */
  readonly otherwise?: UpdateStatement
}

/** Throws a TypeError for a document that lacks a field of an index. */
export function statementOf<T extends Document>(
  layout: Layout,
  change: Change<T>,
  token: string,
  expected?: ExpectedOutbox,
): WriteStatement {
  switch (change.kind) {
    case 'insert':
      return insertion(layout, change, token)
    case 'replace':
      return replacement(layout, change, token, expected)
    case 'remove':
      return removal(layout, change, token, expected)
  }
}

/** The same write, which expects nothing of the outbox. */
export function expectingNothing(write: WriteStatement): WriteStatement {
  if (write.kind === 'insert' || !write.otherwise) return write
  const { otherwise, ...rest } = write
  return { ...rest, update: otherwise }
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
  expected: ExpectedOutbox | undefined,
): Update {
  const { version, document, events, to: becomes = version + 1 } = change
  const key = keyOf(document.tenant, document.id)
  const body = JSON.stringify(document)
  const { there, gone } = indexedFields(layout, document)
  const fields = { $set: { version: becomes, write_id: token, ...there, body }, ...(gone && { $unset: gone }) }
  const statements = updates(
    { q: { _id: key, version }, fields, events, isPending: events.length > 0, token },
    expected,
  )
  return { kind: 'update', key, token, length: lengthOf(change, body, expected), becomes, version, ...statements }
}

function removal<T extends Document>(
  layout: Layout,
  change: Change<T> & { kind: 'remove' },
  token: string,
  expected: ExpectedOutbox | undefined,
): Update {
  const { version, tenant, id, events } = change
  const key = keyOf(tenant, id)
  const { freed, gone } = freedFields(layout, new ObjectId())
  const fields = { $set: { write_id: token, ...freed }, $unset: gone }
  const statements = updates({ q: { _id: key, version }, fields, events, isPending: true, token }, expected)
  return {
    kind: 'update',
    key,
    token,
    length: lengthOf(change, '', expected),
    becomes: version,
    version,
    ...statements,
  }
}

interface UpdateParts {
  readonly q: object
  readonly fields: { readonly $set: object; readonly $unset?: object }
  readonly events: readonly OutboxEvent[]
  /** Whether the outbox is to be looked at, also where it is empty. */
  readonly isPending: boolean
  readonly token: string
}

function updates({ q, fields, events, isPending, token }: UpdateParts, expected: ExpectedOutbox | undefined) {
  const { $set } = fields
  const writes = last(token)
  const behind = {
    ...fields,
    ...(isPending && { $set: { ...$set, outbox_pending: 1 } }),
    $push: events.length > 0 ? { writes, outbox: { $each: events } } : { writes },
  }
  if (!expected) return { update: { q, u: behind } }
  const { writeId, keeps } = expected
  const left = writeId === undefined ? { outbox_pending: 0 } : { write_id: writeId }
  const outbox = [...(keeps ?? []), ...events]
  const outbox_pending = isPending || outbox.length > 0 ? 1 : 0
  const inPlace = { ...fields, $set: { ...$set, outbox, outbox_pending }, $push: { writes } }
  return { update: { q: { ...q, ...left }, u: keeps ? inPlace : behind }, otherwise: { q, u: behind } }
}

const last = (token: string) => ({ $each: [token], $slice: -HISTORY })

/** What a statement or event is besides its longest text. */
const FIELDS_LENGTH = 500

const lengthOf = ({ events }: Change<Document>, body: string, expected?: ExpectedOutbox): number =>
  [...(expected?.keeps ?? []), ...events].reduce(
    (length, { value }) => length + FIELDS_LENGTH + value.length,
    FIELDS_LENGTH + body.length,
  )
