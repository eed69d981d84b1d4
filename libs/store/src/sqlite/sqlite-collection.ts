import type { SQLInputValue, StatementSync } from 'node:sqlite'
import type { Change, Collection, CollectionSpec, Document, Draft, Index, Query, WriteResult } from '../collection.ts'
import type { EventTable } from './event-table.ts'
import { noRoom } from './faults.ts'
import { countSql, findSql, shapeOf } from './find-query.ts'
import type { GroupCommit } from './group-commit.ts'
import { columnsOf } from './schema.ts'
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
  const columns = columnsOf(spec)
  const indexes = new Map<string, Index>([['primary', PRIMARY], ...Object.entries<Index>(spec.indexes)])
  const unique = Object.entries<Index>(spec.indexes).filter(([, index]) => index.unique)
  const always = new Set([...indexes.values()].flatMap(index => (index.when ? [] : index.fields)))

  const names = ['tenant', 'id', 'version', 'body', ...columns.map(quoted)]
  const insert = prepare(
    `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')}) ON CONFLICT DO NOTHING`,
  )
  const replaced = ['version = ?', 'body = ?', ...columns.map(column => `${quoted(column)} = ?`)]
  const here = 'tenant = ? AND id = ?'
  const replace = prepare(`UPDATE OR IGNORE ${table} SET ${replaced.join(', ')} WHERE ${here} AND version = ?`)
  const remove = prepare(`DELETE FROM ${table} WHERE ${here} AND version = ?`)
  const select = prepare(`SELECT version, body FROM ${table} WHERE ${here}`)
  const finds = new Map<string, StatementSync>()
  const counts = new Map<string, StatementSync>()

  function statementFor(made: Map<string, StatementSync>, sqlOf: typeof findSql, index: string, query: Query) {
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

  /** The values of the columns, in their order. Only an index with `when` leaves out documents that lack a field. */
  function indexed(document: Draft<T>): SQLInputValue[] {
    return columns.map(column => {
      const value = (document as Record<string, unknown>)[column]
      if (typeof value === 'string' || typeof value === 'number') return value
      if (always.has(column))
        throw new TypeError(`${spec.name} ${document.id}: the indexed field ${column} is not a scalar`)
      return null
    })
  }

  /** Which unique index refused the document; asked within the group, before anything else changes. */
  function refusedBy(document: Draft<T>): string {
    for (const [name, { fields }] of unique) {
      const values = fields.map(field => (document as Record<string, SQLInputValue>)[field] ?? null)
      const same = fields.map(field => `${quoted(field)} = ?`).join(' AND ')
      const others = prepare(`SELECT 1 FROM ${table} WHERE ${same} AND NOT (${here})`)
      if (others.get(...values, document.tenant, document.id) !== undefined) return name
    }
    throw new Error(`${spec.name} ${document.id}: refused by no unique index`)
  }

  function writer(change: Change<T>): () => WriteResult {
    switch (change.kind) {
      case 'insert': {
        const { document, version = 1 } = change
        const row = [document.tenant, document.id, version, bodyOf(document), ...indexed(document)]
        return () => {
          if (insert.run(...row).changes === 0) {
            const taken = select.get(document.tenant, document.id) !== undefined
            return { kind: 'conflict', index: taken ? 'primary' : refusedBy(document) }
          }
          events.append(change.events)
          return { kind: 'written', version }
        }
      }
      case 'replace': {
        const { document } = change
        const { tenant, id } = document
        const version = change.version + 1
        const row = [version, bodyOf(document), ...indexed(document), tenant, id, change.version]
        return () => {
          if (replace.run(...row).changes === 0) {
            const there = select.get(tenant, id) as unknown as [number, string] | undefined
            return { kind: 'conflict', index: there?.[0] === change.version ? refusedBy(document) : 'version' }
          }
          events.append(change.events)
          return { kind: 'written', version }
        }
      }
      case 'remove': {
        const { tenant, id, version } = change
        return () => {
          if (remove.run(tenant, id, version).changes === 0) return { kind: 'conflict', index: 'version' }
          events.append(change.events)
          return { kind: 'written', version }
        }
      }
    }
  }

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
        return statementFor(finds, findSql, index, query)
          .all(...equals, ...after, ...before, limit)
          .map(documentOf<T>)
      }),

    count: (index, range, limit) =>
      commit.durable(() => {
        const { equals, after = [], before = [] } = range
        if (!(limit >= 1)) throw new RangeError(`a limit is 1 or more, not ${limit}`)
        const row = statementFor(counts, countSql, index, { ...range, limit }).get(
          ...equals,
          ...after,
          ...before,
          limit,
        )
        return (row as unknown as [number])[0]
      }),

    async write(change) {
      if (change.kind === 'insert' && isFull()) throw noRoom()
      return commit.write(writer(change))
    },
  }
}

/** The document as JSON text. A version in it is the caller's old one: the column has the true one. */
const bodyOf = (document: object): string => JSON.stringify(document)

/** Rows come as arrays (`Prepare`), which the types of node:sqlite don't know. */
function documentOf<T extends Document>(row: unknown): T {
  const [version, body] = row as [number, string]
  const document = JSON.parse(body)
  document.version = version
  return document
}
