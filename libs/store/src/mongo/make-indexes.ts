import type { Log } from '@millhand/telemetry'
import { type Collection as MongoCollection, MongoServerError } from 'mongodb'
import type { WriteCommands } from './commands.ts'
import { type DeclaredIndex, OUTBOX_INDEX } from './indexes.ts'
import { documentOf, indexedFields, type Layout, type StoredDocument } from './stored-document.ts'

export interface MakeIndexesOptions {
  readonly collection: MongoCollection<StoredDocument>
  readonly commands: WriteCommands
  readonly layout: Layout
  readonly indexes: ReadonlyMap<string, DeclaredIndex>
  readonly log: Log
}

/**
 * Makes the indexes that are not there, with the documents that are. Others stay, and the log tells of them: processes
 * of another version may still use them. Those must not write any more once a field is indexed that was not before:
 * they don't know of it.
 */
export async function makeIndexes(options: MakeIndexesOptions): Promise<void> {
  const { collection, layout, indexes, log } = options
  const there = new Set(await indexNames(collection))
  const wanted = [OUTBOX_INDEX, ...[...indexes.values()].map(({ description }) => description)]
  const missing = wanted.filter(({ name }) => !there.delete(name as string))
  if (missing.length > 0) {
    const asked = missing.flatMap(({ key, partialFilterExpression: when = {} }) => [key, when].flatMap(Object.keys))
    const fields = layout.fields.filter(field => asked.includes(field))
    while (fields.length > 0 && !(await fillFields(options, fields))) {} // Until none was written meanwhile.
    await collection.createIndexes(missing.map(description => ({ ...description })))
  }
  there.delete('_id_')
  if (there.size > 0) log.warn('store.indexes_unused', { collection: collection.collectionName, indexes: [...there] })
}

async function indexNames(collection: MongoCollection<StoredDocument>): Promise<string[]> {
  try {
    return (await collection.listIndexes().toArray()).map(({ name }) => String(name))
  } catch (error) {
    if (error instanceof MongoServerError && error.code === NAMESPACE_NOT_FOUND) return []
    throw error
  }
}

const NAMESPACE_NOT_FOUND = 26
const PAGE = 500

/** Takes the fields out of the bodies of documents that lack them. Resolves with whether all of them could be changed. */
async function fillFields(options: MakeIndexesOptions, fields: readonly string[]): Promise<boolean> {
  const { collection, commands, layout } = options
  const lacking = { version: { $gt: 0 }, $or: fields.map(field => ({ [field]: { $exists: false } })) }
  const projection = { version: 1, body: 1 }
  let whole = true
  for (let after = ''; ; ) {
    const filter = { ...lacking, _id: { $gt: after } }
    const page = await collection.find(filter, { projection, sort: { _id: 1 }, limit: PAGE }).toArray()
    const updates = page.flatMap(stored => {
      const { there } = indexedFields(layout, documentOf(stored) as never)
      const set = Object.fromEntries(fields.flatMap(field => (field in there ? [[field, there[field]]] : [])))
      if (Object.keys(set).length === 0) return []
      return [{ q: { _id: stored._id, version: stored.version }, u: { $set: set } }]
    })
    if (updates.length > 0) {
      const { n, errors } = await commands.update(collection.collectionName, updates)
      for (const error of errors.values()) throw error
      whole &&= n === updates.length
    }
    const last = page.at(-1)
    if (last === undefined) return whole
    after = last._id
  }
}
