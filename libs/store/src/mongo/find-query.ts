import type { CountDocumentsOptions, Filter, FindOptions } from 'mongodb'
import type { Query, Range, Scalar } from '../collection.ts'
import { byteOrdered } from './byte-order.ts'
import { conditionOf, type DeclaredIndex } from './indexes.ts'
import type { StoredDocument } from './stored-document.ts'

type Condition = Filter<StoredDocument>

/** The filter and options of a `find`. Throws a RangeError for a query that the index can't answer. */
export function findQuery(name: string, declared: DeclaredIndex, query: Query) {
  const { equals, order = 'asc', limit } = query
  if (!(limit >= 1 && limit <= 10_000)) throw new RangeError(`a limit is 1 to 10,000, not ${limit}`)
  const filter = filterOf(name, declared, query)
  const rest = declared.order.slice(equals.length)
  const direction = order === 'asc' ? 1 : -1
  // A unique index has no ties, and does not hold what would break them: the server would sort in memory.
  const sorted = declared.index.unique ? declared.index.fields.slice(equals.length) : rest
  const options = {
    projection: { _id: 0, version: 1, body: 1 },
    sort: Object.fromEntries(sorted.map(field => [field, direction])),
    limit,
    batchSize: limit,
    // The index is named, so that a plan never depends on what the server learnt from other queries.
    hint: declared.serverName,
  } satisfies FindOptions
  return { filter, options }
}

/** The filter and options of a `count`. Throws likewise. */
export function countQuery(name: string, declared: DeclaredIndex, range: Range, limit: number) {
  if (!(limit >= 1)) throw new RangeError(`a limit is 1 or more, not ${limit}`)
  const options = { limit, hint: declared.serverName } satisfies CountDocumentsOptions
  return { filter: filterOf(name, declared, range), options }
}

function filterOf(name: string, declared: DeclaredIndex, { equals, after = [], before = [] }: Range): Condition {
  const rest = declared.order.slice(equals.length)
  const most = Math.max(after.length, before.length)
  if (most > rest.length || equals.length > declared.order.length)
    throw new RangeError(`the index ${name} has too few fields for this query`)

  const terms: Condition[] = equals.map((value, place) => ({ [declared.order[place] as string]: byteOrdered(value) }))
  terms.push(...beyond(rest, '$gt', after), ...beyond(rest, '$lt', before))
  const { when } = declared.index
  terms.push(when ? conditionOf(when) : { version: { $gt: 0 } }) // No tombstones: they lack the field of a condition.
  return { $and: terms } as Condition
}

/** `(f1, f2, …) > (v1, v2, …)`, or `<`, with a plain bound on the first field, which is what narrows the index scan. */
function beyond(fields: readonly string[], operator: '$gt' | '$lt', tuple: readonly Scalar[]): Condition[] {
  const values = tuple.map(byteOrdered)
  const [first] = fields
  if (first === undefined || values.length === 0) return []
  if (values.length === 1) return [{ [first]: { [operator]: values[0] } }]
  const steps = values.map((value, place) => ({
    ...Object.fromEntries(fields.slice(0, place).map((field, i) => [field, values[i]])),
    [fields[place] as string]: { [operator]: value },
  }))
  return [{ [first]: { [`${operator}e`]: values[0] } }, { $or: steps }]
}
