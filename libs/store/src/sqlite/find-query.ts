import type { Index, Query } from '../collection.ts'
import { conditionOf, indexName, orderOf } from './schema.ts'
import { quoted } from './statements.ts'

/** What the SQL of a `find` depends on; queries of one shape share a statement. */
export function shapeOf(index: string, { equals, after, before, order }: Query): string {
  return `${index} ${equals.length} ${after?.length ?? 0} ${before?.length ?? 0} ${order ?? 'asc'}`
}

/** The SQL of a `find`; its parameters are `equals`, `after`, `before` and `limit`, in this order. */
export function findSql(collection: string, name: string, index: Index, query: Query): string {
  const { equals, after = [], before = [], order = 'asc' } = query
  const columns = orderOf(index).map(quoted)
  const rest = columns.slice(equals.length)
  const most = Math.max(after.length, before.length)
  if (most > rest.length) throw new RangeError(`the index ${name} of ${collection} has fewer than ${most} fields left`)

  const terms = equals.map((_, place) => `${columns[place]} = ?`)
  if (after.length > 0) terms.push(compare(rest, '>', after.length))
  if (before.length > 0) terms.push(compare(rest, '<', before.length))
  const condition = conditionOf(index)
  if (condition !== undefined) terms.push(condition)

  const where = terms.length > 0 ? `WHERE ${terms.join(' AND ')}` : ''
  const sorted = rest.length > 0 ? `ORDER BY ${rest.map(column => `${column} ${order}`).join(', ')}` : ''
  // The index is named, so that a plan never depends on statistics; a query that it can't answer fails at once.
  const from = `${quoted(collection)} INDEXED BY ${indexName(collection, name)}`
  return `SELECT version, body FROM ${from} ${where} ${sorted} LIMIT ?`
}

const compare = (columns: readonly string[], operator: '<' | '>', length: number): string =>
  `(${columns.slice(0, length).join(', ')}) ${operator} (${Array(length).fill('?').join(', ')})`
