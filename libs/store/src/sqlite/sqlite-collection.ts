import type { SQLInputValue, StatementSync } from 'node:sqlite'
import type {
  Change,
  Collection,
  CollectionSpec,
  Document,
  Draft,
  Index,
  Query,
  Range,
  WriteResult,
} from '../collection.ts'
import type { EventTable } from './event-table.ts'
import { noRoom } from './faults.ts'
import type { GroupCommit } from './group-commit.ts'
import { columnsOf, conditionOf, indexName, orderOf } from './schema.ts'
import type { Prepare } from './statements.ts'
import { quoted } from './statements.ts'

const PRIMARY: Index = { fields: ['tenant', 'id'], unique: true }

/** A collection whose table and indexes are in the file. */
export function sqliteCollection<T extends Document, I extends string>(
  spec: CollectionSpec<I>,
  prepare: Prepare,
  commit: GroupCommit,
  events: EventTable,
  isFull: () => boolean,
): Collection<T, I> {
  const table = quoted(spec.name)
  const select = prepare(`SELECT version, body FROM ${table} WHERE ${HERE}`)
  const finds = queriesOf(spec, prepare, findSql)
  const counts = queriesOf(spec, prepare, countSql)
  const writer = writerOf<T>(spec, prepare, select, events)

  return {
    get: (tenant, id) =>
      commit.durable(() => {
        const row = select.get(tenant, id)
        return row && documentOf<T>(row)
      }),

    find: (index, query) =>
      commit.durable(() => {
        const { equals, after = [], before = [], limit } = query
        if (!(limit >= 1 && limit <= 10_000)) throw new RangeError(`a limit is 1 to 10,000, not ${limit}`)
        return finds(index, query)
          .all(...equals, ...after, ...before, limit)
          .map(documentOf<T>)
      }),

    count: (index, range, limit) =>
      commit.durable(() => {
        const { equals, after = [], before = [] } = range
        if (!(limit >= 1)) throw new RangeError(`a limit is 1 or more, not ${limit}`)
        const row = counts(index, { ...range, limit }).get(...equals, ...after, ...before, limit)
        return (row as unknown as [number])[0]
      }),

    async write(change) {
      if (change.kind === 'insert' && isFull()) throw noRoom()
      return commit.write(writer(change))
    },
  }
}

const HERE = 'tenant = ? AND id = ?'

/** The statement of a query, prepared once for each shape. */
function queriesOf(spec: CollectionSpec, prepare: Prepare, sqlOf: typeof findSql) {
  const indexes = new Map<string, Index>([['primary', PRIMARY], ...Object.entries<Index>(spec.indexes)])
  const made = new Map<string, StatementSync>()
  return (index: string, query: Query): StatementSync => {
    const shape = shapeOf(index, query)
    let statement = made.get(shape)
    if (statement === undefined) {
      const declared = indexes.get(index)
      if (declared === undefined) throw new RangeError(`${spec.name} has no index ${index}`)
      statement = prepare(sqlOf(spec.name, index, declared, query))
      made.set(shape, statement)
    }
    return statement
  }
}

/** What writes a change, once the group commit calls it. */
function writerOf<T extends Document>(
  spec: CollectionSpec,
  prepare: Prepare,
  select: StatementSync,
  events: EventTable,
): (change: Change<T>) => () => WriteResult {
  const table = quoted(spec.name)
  const columns = columnsOf(spec)
  const names = ['tenant', 'id', 'version', 'body', ...columns.map(quoted)]
  const insert = prepare(
    `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')}) ON CONFLICT DO NOTHING`,
  )
  const replaced = ['version = ?', 'body = ?', ...columns.map(column => `${quoted(column)} = ?`)]
  const replace = prepare(`UPDATE OR IGNORE ${table} SET ${replaced.join(', ')} WHERE ${HERE} AND version = ?`)
  const remove = prepare(`DELETE FROM ${table} WHERE ${HERE} AND version = ?`)
  const indexed = columnValues<T>(spec, columns)
  const refusedBy = refusingIndex<T>(spec, prepare)

  // A version in the body is the caller's old one: the column has the true one.
  return change => {
    switch (change.kind) {
      case 'insert': {
        const { document, version = 1 } = change
        const row = [document.tenant, document.id, version, JSON.stringify(document), ...indexed(document)]
        return () => {
          if (insert.run(...row).changes === 0) {
            const taken = select.get(document.tenant, document.id) !== undefined
            return { kind: 'conflict', index: taken ? 'primary' : refusedBy(document) }
          }
          events.append(change.events, document.tenant)
          return { kind: 'written', version }
        }
      }
      case 'replace': {
        const { document, to: version = change.version + 1 } = change
        const { tenant, id } = document
        const row = [version, JSON.stringify(document), ...indexed(document), tenant, id, change.version]
        return () => {
          if (replace.run(...row).changes === 0) {
            const there = select.get(tenant, id) as unknown as [number, string] | undefined
            return { kind: 'conflict', index: there?.[0] === change.version ? refusedBy(document) : 'version' }
          }
          events.append(change.events, tenant)
          return { kind: 'written', version }
        }
      }
      case 'remove': {
        const { tenant, id, version } = change
        return () => {
          if (remove.run(tenant, id, version).changes === 0) return { kind: 'conflict', index: 'version' }
          events.append(change.events, tenant)
          return { kind: 'written', version }
        }
      }
    }
  }
}

/** The values of the columns, in their order. Only an index with `when` leaves out documents that lack a field. */
function columnValues<T extends Document>(spec: CollectionSpec, columns: readonly string[]) {
  const indexes = [PRIMARY, ...Object.values<Index>(spec.indexes)]
  const always = new Set(indexes.flatMap(index => (index.when ? [] : index.fields)))
  return (document: Draft<T>): SQLInputValue[] =>
    columns.map(column => {
      const value = (document as Record<string, unknown>)[column]
      if (typeof value === 'string' || typeof value === 'number') return value
      if (always.has(column))
        throw new TypeError(`${spec.name} ${document.id}: the indexed field ${column} is not a scalar`)
      return null
    })
}

/** Which unique index refused a document; asked within the group, before anything else changes. */
function refusingIndex<T extends Document>(spec: CollectionSpec, prepare: Prepare) {
  const unique = Object.entries<Index>(spec.indexes).filter(([, index]) => index.unique)
  return (document: Draft<T>): string => {
    for (const [name, { fields }] of unique) {
      const values = fields.map(field => (document as Record<string, SQLInputValue>)[field] ?? null)
      const same = fields.map(field => `${quoted(field)} = ?`).join(' AND ')
      const others = prepare(`SELECT 1 FROM ${quoted(spec.name)} WHERE ${same} AND NOT (${HERE})`)
      if (others.get(...values, document.tenant, document.id) !== undefined) return name
    }
    throw new Error(`${spec.name} ${document.id}: refused by no unique index`)
  }
}

/** Rows come as arrays (`Prepare`), which the types of node:sqlite don't know. */
function documentOf<T extends Document>(row: unknown): T {
  const [version, body] = row as [number, string]
  const document = JSON.parse(body)
  document.version = version
  return document
}

/** What the SQL of a `find` depends on; queries of one shape share a statement. */
function shapeOf(index: string, { equals, after, before, order }: Query): string {
  return `${index} ${equals.length} ${after?.length ?? 0} ${before?.length ?? 0} ${order ?? 'asc'}`
}

/** The SQL of a `find`; its parameters are `equals`, `after`, `before` and `limit`, in this order. */
function findSql(collection: string, name: string, index: Index, query: Query): string {
  const rest = orderOf(index).slice(query.equals.length)
  const sorted = rest.map(column => `${quoted(column)} ${query.order ?? 'asc'}`).join(', ')
  const source = sourceSql(collection, name, index, query)
  return `SELECT version, body FROM ${source}${sorted && ` ORDER BY ${sorted}`} LIMIT ?`
}

/** The SQL of a `count`, with the same parameters. It reads nothing but the index. */
export const countSql = (collection: string, name: string, index: Index, range: Range): string =>
  `SELECT count(*) FROM (SELECT 1 FROM ${sourceSql(collection, name, index, range)} LIMIT ?)`

function sourceSql(collection: string, name: string, index: Index, { equals, after = [], before = [] }: Range): string {
  const columns = orderOf(index).map(quoted)
  const rest = columns.slice(equals.length)
  const most = Math.max(after.length, before.length)
  if (most > rest.length) throw new RangeError(`the index ${name} of ${collection} has fewer than ${most} fields left`)

  const terms = equals.map((_, place) => `${columns[place]} = ?`)
  if (after.length > 0) terms.push(compare(rest, '>', after.length))
  if (before.length > 0) terms.push(compare(rest, '<', before.length))
  const condition = conditionOf(index)
  if (condition !== undefined) terms.push(condition)

  // The index is named, so that a plan never depends on statistics; a query that it can't answer fails at once.
  const from = `${quoted(collection)} INDEXED BY ${indexName(collection, name)}`
  return terms.length > 0 ? `${from} WHERE ${terms.join(' AND ')}` : from
}

const compare = (columns: readonly string[], operator: '<' | '>', length: number): string =>
  `(${columns.slice(0, length).join(', ')}) ${operator} (${Array(length).fill('?').join(', ')})`
