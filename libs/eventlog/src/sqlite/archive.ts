/** The log as the archive of events: rows of the log found by their tenant. No event is stored twice. */
import type { Query, Scalar } from '@millhand/store'
import type { SqliteDatabase } from '@millhand/store/sqlite'
import type { ArchivedEvent, ArchiveIndex, EventArchive } from '../event-archive.ts'

/** For each index its name in the file, the columns that a query gives, and the column that its pages go by. */
const INDEXES: Readonly<Record<ArchiveIndex, { readonly name: string; equals: readonly string[]; order: string }>> = {
  by_arrival: { name: 'event_log_by_arrival', equals: ['tenant'], order: 'arrived' },
  by_type: { name: 'event_log_by_type', equals: ['tenant', 'type'], order: 'arrived' },
  by_resource: { name: 'event_log_by_resource', equals: ['tenant', 'key'], order: 'arrived' },
  by_time: { name: 'event_log_by_time', equals: ['tenant'], order: 'time' },
}

const COLUMNS = 'tenant, id, type, key, time, value, arrived, traceparent'
type Row = [string, string, string, string, number, string, number, string | null]

/** What is written to it alone is in a topic that nobody reads. `topics` are those whose events it shows besides. */
export function sqliteArchive(db: SqliteDatabase, topics: readonly string[]): EventArchive {
  const shown = JSON.stringify([...topics, ARCHIVE_TOPIC])
  const isShown = 'seq <= ? AND topic IN (SELECT value FROM json_each(?))'
  return {
    async get(tenant, id) {
      const sql = `SELECT ${COLUMNS} FROM event_log INDEXED BY event_log_by_id WHERE id = ? AND tenant = ? AND ${isShown}`
      const [row] = db.read<Row>(sql, id, tenant, db.lastEvent, shown)
      return row && eventOf(row)
    },

    async find(index, query) {
      const { limit } = query
      if (!(limit >= 1 && limit <= 10_000)) throw new RangeError(`a limit is 1 to 10,000, not ${limit}`)
      const { where, parameters, order } = conditionOf(index, query)
      const sql = `SELECT ${COLUMNS} FROM event_log INDEXED BY ${INDEXES[index].name}
        WHERE ${where} AND ${isShown} ORDER BY ${order} LIMIT ?`
      return db.read<Row>(sql, ...parameters, db.lastEvent, shown, limit).map(eventOf)
    },

    add: ({ topic: _, ...event }, tenant) => db.append({ ...event, topic: ARCHIVE_TOPIC }, tenant),
  }
}

const ARCHIVE_TOPIC = 'archive'

/** Arrivals are unique, so their ties need no second column; times are not. */
function conditionOf(index: ArchiveIndex, { equals, after, before, order = 'asc' }: Query) {
  const { equals: given, order: column } = INDEXES[index]
  if (equals.length !== given.length) throw new RangeError(`${index} takes ${given.join(', ')}`)
  const columns = column === 'time' ? ['time', 'id'] : [column]
  const terms = given.map(name => `${name} = ?`)
  const parameters: Scalar[] = [...equals]
  for (const [sign, bound] of [
    ['>', after],
    ['<', before],
  ] as const) {
    if (bound === undefined || bound.length === 0) continue
    const held = columns.slice(0, bound.length)
    terms.push(`(${held.join(', ')}) ${sign} (${held.map(() => '?').join(', ')})`)
    parameters.push(...bound.slice(0, held.length))
  }
  return { where: terms.join(' AND '), parameters, order: columns.map(name => `${name} ${order}`).join(', ') }
}

const eventOf = ([tenant, id, type, resource_id, created_at, value, arrived, traceparent]: Row): ArchivedEvent => ({
  ...{ tenant, id, version: 1, type, resource_id, created_at, value, arrived },
  ...(traceparent !== null && { traceparent }),
})
