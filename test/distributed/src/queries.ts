/** The queries that are made of a server of MongoDB's protocol, and whether each of them uses an index. */
import { type Document, type IndexDescription, MongoClient } from 'mongodb'
import { proxyCommands } from './proxy-commands.ts'

/** One query of each shape, whatever its values. */
interface Query {
  readonly collection: string
  /** As the command `explain` takes it. */
  readonly command: Document
}

export interface Recorder extends AsyncDisposable {
  /** `127.0.0.1:<port>`: what is sent there goes on to the server. */
  readonly address: string
  /** By its shape. */
  readonly queries: ReadonlyMap<string, Query>
  /** By collection and name. */
  readonly indexes: ReadonlyMap<string, ReadonlyMap<string, IndexDescription>>
}

/** Stands before the server at `host:port` and reads what clients ask of it. */
export async function recordQueries(server: string): Promise<Recorder> {
  const queries = new Map<string, Query>()
  const indexes = new Map<string, Map<string, IndexDescription>>()

  const proxy = await proxyCommands(server, command => {
    for (const query of queriesOf(command)) queries.set(shapeOf(query), query)
    if (typeof command.createIndexes !== 'string') return
    const known = indexes.get(command.createIndexes) ?? new Map<string, IndexDescription>()
    for (const index of command.indexes as IndexDescription[]) known.set(index.name as string, index)
    indexes.set(command.createIndexes, known)
  })
  return { address: proxy.address, queries, indexes, [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose]() }
}

/** The shapes of the queries that scan their collection, by the plans of the server at `url`: it gets the indexes. */
export async function withoutIndex({ queries, indexes }: Recorder, url: string): Promise<string[]> {
  const client = await new MongoClient(url).connect()
  try {
    const db = client.db()
    for (const collection of new Set([...queries.values()].map(each => each.collection))) {
      await db.createCollection(collection)
      const all = [...(indexes.get(collection)?.values() ?? [])]
      if (all.length > 0) await db.collection(collection).createIndexes(all)
    }
    const found: string[] = []
    const scans = async (command: Document) =>
      stagesOf(await db.command({ explain: command, verbosity: 'queryPlanner' })).includes('COLLSCAN')
    for (const [shape, { command }] of queries) {
      if (!isById(command.filter) && (await scans(command))) found.push(shape)
    }
    return found
  } finally {
    await client.close()
  }
}

/**
 * Whether the index of `_id`, which every collection has, bounds what is read. That server's plans call it a scan of the
 * collection where the condition is a range, or where other fields have conditions too; MongoDB's do not.
 */
function isById({ _id }: Document): boolean {
  if (_id === undefined) return false
  return typeof _id !== 'object' || _id === null || '_bsontype' in _id || Object.keys(_id).some(key => BOUNDS.has(key))
}

const BOUNDS: ReadonlySet<string> = new Set(['$eq', '$in', '$gt', '$gte', '$lt', '$lte'])

function* queriesOf(command: Document): Generator<Query> {
  const { find, count, distinct, aggregate, findAndModify } = command
  if (typeof find === 'string') {
    const { filter = {}, sort, limit, hint } = command
    yield {
      collection: find,
      command: { find, filter, ...(sort && { sort }), ...(limit && { limit }), ...(hint && { hint }) },
    }
  }
  if (typeof count === 'string') yield { collection: count, command: { find: count, filter: command.query ?? {} } }
  if (typeof distinct === 'string') {
    yield { collection: distinct, command: { find: distinct, filter: command.query ?? {} } }
  }
  if (typeof aggregate === 'string') {
    const { pipeline, hint } = command
    const [first, ...rest] = pipeline as Document[]
    const sort = rest.find(stage => stage.$sort)?.$sort
    yield {
      collection: aggregate,
      command: { find: aggregate, filter: first?.$match ?? {}, ...(sort && { sort }), ...(hint && { hint }) },
    }
  }
  if (typeof findAndModify === 'string') {
    const { query = {}, sort } = command
    yield { collection: findAndModify, command: { find: findAndModify, filter: query, ...(sort && { sort }) } }
  }
  for (const [collection, statements] of [
    [command.update, command.updates],
    [command.delete, command.deletes],
  ] as const) {
    if (typeof collection !== 'string') continue
    for (const { q } of statements as Document[]) yield { collection, command: { find: collection, filter: q } }
  }
}

/** Equal for queries that differ in values alone. */
function shapeOf({ collection, command: { filter, sort, limit, hint } }: Query): string {
  const words = [`${collection}: ${JSON.stringify(typed(filter))}`]
  if (sort) words.push(`sorted by ${JSON.stringify(sort)}`)
  if (limit) words.push('limited')
  if (hint) words.push(`by ${JSON.stringify(hint)}`)
  return words.join(', ')
}

function typed(value: unknown): unknown {
  if (Array.isArray(value))
    return [...new Set(value.map(each => JSON.stringify(typed(each))))].map(each => JSON.parse(each))
  if (value === null || typeof value !== 'object' || '_bsontype' in value) return value === null ? null : typeof value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, typed(each)]))
}

function stagesOf(plan: unknown): string[] {
  if (plan === null || typeof plan !== 'object') return []
  const own = 'stage' in plan && typeof plan.stage === 'string' ? [plan.stage] : []
  return [...own, ...Object.values(plan).flatMap(stagesOf)]
}
