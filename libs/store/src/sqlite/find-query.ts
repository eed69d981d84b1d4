import type { Index, Query, Range } from '../collection.ts'
import { conditionOf, indexName, orderOf } from './schema.ts'
import { quoted } from './statements.ts'

/** What the SQL of a `find` depends on; queries of one shape share a statement. */
export function shapeOf(index: string, { equals, after, before, order }: Query): string {
  return `${index} ${equals.length} ${after?.length ?? 0} ${before?.length ?? 0} ${order ?? 'asc'}`
}

/** The SQL of a `find`; its parameters are `equals`, `after`, `before` and `limit`, in this order. */
export function findSql(collection: string, name: string, index: Index, query: Query): string {
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
