import { createHash } from 'node:crypto'
import type { IndexDescription } from 'mongodb'
import type { CollectionSpec, Index } from '../collection.ts'
import { byteOrdered } from './byte-order.ts'

/** An index that can be asked. */
export interface DeclaredIndex {
  readonly index: Index
  /** Its fields, then what of (tenant, id) they lack: what documents are sorted by. */
  readonly order: readonly string[]
  /** Its name on the server. It holds a digest of what the index is, so that a spec that changes makes a new one. */
  readonly serverName: string
  readonly description: IndexDescription
}

const PRIMARY: Index = { fields: ['tenant', 'id'] }

/** Documents whose outbox may hold something: few, however many there are. */
export const OUTBOX_INDEX = {
  name: 'outbox_pending',
  key: { outbox_pending: 1, _id: 1 },
  partialFilterExpression: { outbox_pending: 1 },
} as const satisfies IndexDescription

/** The indexes of a collection by their declared names, with `primary`. */
export function declaredIndexes(spec: CollectionSpec): ReadonlyMap<string, DeclaredIndex> {
  const all = [['primary', PRIMARY] as const, ...Object.entries<Index>(spec.indexes)]
  return new Map(all.map(([name, index]) => [name, declared(name, index)]))
}

function declared(name: string, index: Index): DeclaredIndex {
  const order = [...new Set([...index.fields, 'tenant', 'id'])]
  // With the field of its condition an index can be counted alone: a query repeats the condition.
  const held = index.when ? [...order, index.when.field] : order
  const key = Object.fromEntries((index.unique ? index.fields : held).map(field => [field, 1 as const]))
  const what = {
    key,
    ...(index.unique && { unique: true }),
    ...(index.when && { partialFilterExpression: conditionOf(index.when) }),
  }
  const digest = createHash('sha256').update(JSON.stringify(what)).digest('hex').slice(0, 8)
  const serverName = `${name}_${digest}`
  return { index, order, serverName, description: { name: serverName, ...what } }
}

/** The condition of a partial index; MongoDB 6.0 is the first that takes `$in` here. A query repeats it. */
export const conditionOf = (when: NonNullable<Index['when']>) => ({ [when.field]: { $in: when.in.map(byteOrdered) } })

/**
 * The declared name of the index that refused a document, out of the server's message; `primary` for `_id`. Undefined
 * for one that the spec does not have any more: it has to be dropped.
 */
export function refusingIndex(indexes: ReadonlyMap<string, DeclaredIndex>, message: string): string | undefined {
  const serverName = / index: (\S+)/.exec(message)?.[1]
  if (serverName === '_id_') return 'primary'
  for (const [name, declared] of indexes) if (declared.serverName === serverName) return name
  return undefined
}
