import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { Log } from '@millhand/telemetry'
import type { CollectionSpec, Index } from '../collection.ts'
import { ADD_TENANT_AND_ARRIVAL, EVENT_INDEXES, EVENT_TABLES } from './event-table.ts'
import { literal, quoted } from './statements.ts'

/** PRAGMA user_version: the layout of everything that is not a collection. Collections follow their specs. */
const SCHEMA_VERSION = 2

export const OWN_COLUMNS = ['tenant', 'id', 'version', 'body']
export const RESERVED = /^(event_log|event_subscriptions|sqlite_.*)$/

/** Another version of Millhand wrote the file, in a layout that this one does not know. */
export class StoreVersionMismatch extends Error {
  constructor(file: string, version: number) {
    super(
      `${file} has schema version ${version}; this program knows ${SCHEMA_VERSION}. Start the version of Millhand that wrote it, or restore the data folder from a backup that was made before`,
    )
    this.name = 'StoreVersionMismatch'
  }
}

/** A file of an earlier layout can't be brought up to date here: its disk has too little room. */
export class NoRoomToUpgrade extends Error {
  constructor(file: string, version: number, needed: number, free: number) {
    super(
      `${file} has schema version ${version}, and is brought to ${SCHEMA_VERSION} in one step, for which its disk needs ${mib(needed)} MiB; ${mib(free)} MiB are free. Make room and start again. The file is not changed`,
    )
    this.name = 'NoRoomToUpgrade'
  }
}

interface SchemaFile {
  readonly file: string
  readonly log?: Pick<Log, 'info'> | undefined
  /** Bytes that can be written to the file's disk. */
  readonly freeBytes?: () => number
}

/**
 * Of the file, what bringing it up to date may write beside it: all its events may be in the write-ahead log twice, and a
 * copy of them that is dropped makes the room for their indexes.
 */
const UPGRADE_SHARE = 1.5

/**
 * Creates the tables in a new file, and brings those of version 1 up to date, which keeps this thread for some minutes
 * where there are many events. Throws `StoreVersionMismatch` and `NoRoomToUpgrade`.
 */
export function prepareSchema(db: DatabaseSync, options: SchemaFile): void {
  const { user_version: version } = db.prepare('PRAGMA user_version').get() as { user_version: number }
  if (version === 0) inTransaction(db, [EVENT_TABLES, EVENT_INDEXES])
  else if (version === 1) upgrade(db, version, options)
  else if (version !== SCHEMA_VERSION) throw new StoreVersionMismatch(options.file, version)
}

function upgrade(
  db: DatabaseSync,
  version: number,
  { file, log, freeBytes = () => freeBytesOf(file) }: SchemaFile,
): void {
  const bytes = bytesOf(db)
  const [needed, free] = [Math.ceil(UPGRADE_SHARE * bytes), freeBytes()]
  if (free < needed) throw new NoRoomToUpgrade(file, version, needed, free)
  const { events } = db.prepare('SELECT count(*) AS events FROM event_log').get() as { events: number }
  const fields = { file, from: version, to: SCHEMA_VERSION, events }
  log?.info('store.upgrade_begins', { ...fields, bytes, free_bytes: free })
  const from = performance.now()
  inTransaction(db, [ADD_TENANT_AND_ARRIVAL, EVENT_INDEXES])
  log?.info('store.upgraded', { ...fields, seconds: Math.round((performance.now() - from) / 1_000) })
}

function inTransaction(db: DatabaseSync, statements: readonly string[]): void {
  db.exec('BEGIN IMMEDIATE')
  try {
    for (const sql of statements) db.exec(sql)
    markSchema(db)
    db.exec('COMMIT')
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

function bytesOf(db: DatabaseSync): number {
  const { bytes } = db
    .prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size')
    .get() as { bytes: number }
  return bytes
}

function freeBytesOf(file: string): number {
  const { bavail, bsize } = statfsSync(dirname(file))
  return bavail * bsize
}

const mib = (bytes: number) => Math.ceil(bytes / 2 ** 20)

/** Writes which version the file has: within a transaction, on the first page. */
export const markSchema = (db: DatabaseSync): void => db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`)

/** The fields that a collection keeps in columns of their own, besides tenant and id. */
export function columnsOf(spec: CollectionSpec): string[] {
  const named = Object.values<Index>(spec.indexes).flatMap(({ fields, when }) =>
    when ? [...fields, when.field] : fields,
  )
  return [...new Set(named)].filter(field => field !== 'tenant' && field !== 'id')
}

/** The columns of an index in the order that it keeps: its fields, then what of (tenant, id) they lack. */
export function orderOf(index: Index): string[] {
  return [...new Set([...index.fields, 'tenant', 'id'])]
}

/** The condition of a partial index. A query has to repeat it word by word for SQLite to use the index. */
export function conditionOf({ when }: Index): string | undefined {
  return when && `${quoted(when.field)} IN (${when.in.map(literal).join(', ')})`
}

export const indexName = (collection: string, index: string): string => quoted(`${collection}.${index}`)

/**
 * Makes the table and indexes be what the spec says: new fields get their values from the bodies that are there,
 * indexes that are new or have changed are built, those that are gone are dropped.
 */
export function prepareCollection(db: DatabaseSync, spec: CollectionSpec): void {
  const table = quoted(spec.name)
  const columns = columnsOf(spec)
  if (RESERVED.test(spec.name)) throw new Error(`a collection can't be named ${spec.name}`)
  const taken = columns.find(column => OWN_COLUMNS.includes(column) || /^(rowid|oid|_rowid_)$/i.test(column))
  if (taken !== undefined) throw new Error(`${spec.name}: the field ${taken} can't be indexed`)

  db.exec('BEGIN IMMEDIATE')
  try {
    // Rowids: bodies of a kilobyte would leave a WITHOUT ROWID tree three documents a page. No column types: a
    // declared type would turn the string '1' into a number.
    db.exec(`CREATE TABLE IF NOT EXISTS ${table} (tenant, id, version, body)`)
    addColumns(db, spec.name, columns)
    rebuildIndexes(db, spec)
    db.exec('COMMIT')
  } catch (error) {
    // SQLite may have undone it by itself, as on a full disk.
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

function addColumns(db: DatabaseSync, name: string, columns: readonly string[]): void {
  const there = new Set(
    db
      .prepare(`PRAGMA table_info(${quoted(name)})`)
      .all()
      .map(column => String(column.name)),
  )
  const missing = columns.filter(column => !there.has(column))
  for (const column of missing) db.exec(`ALTER TABLE ${quoted(name)} ADD COLUMN ${quoted(column)}`)
  if (missing.length === 0) return
  const values = missing.map(column => `${quoted(column)} = body ->> ${literal(`$.${JSON.stringify(column)}`)}`)
  db.exec(`UPDATE ${quoted(name)} SET ${values.join(', ')}`)
}

function rebuildIndexes(db: DatabaseSync, spec: CollectionSpec): void {
  const wanted = new Set([createIndex(spec.name, 'primary', { fields: ['tenant', 'id'], unique: true })])
  for (const [name, index] of Object.entries<Index>(spec.indexes)) wanted.add(createIndex(spec.name, name, index))
  const there = db.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?").all(spec.name)
  for (const { name, sql } of there) {
    if (!wanted.delete(String(sql))) db.exec(`DROP INDEX ${quoted(String(name))}`)
  }
  for (const sql of wanted) db.exec(sql)
}

function createIndex(collection: string, name: string, index: Index): string {
  // With the field of its condition the index can be counted without the table: SQLite looks that up otherwise.
  const held = index.when ? [...orderOf(index), index.when.field] : orderOf(index)
  const columns = (index.unique ? index.fields : [...new Set(held)]).map(quoted).join(', ')
  const condition = conditionOf(index)
  const create = `CREATE ${index.unique ? 'UNIQUE ' : ''}INDEX ${indexName(collection, name)}`
  return `${create} ON ${quoted(collection)} (${columns})${condition ? ` WHERE ${condition}` : ''}`
}
