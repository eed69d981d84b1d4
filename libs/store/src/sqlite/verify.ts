/** Checks all that a store in a SQLite file promises, without changing it. For operators: it reads everything. */
import { DatabaseSync } from 'node:sqlite'
import { lostCommits } from './commit-mark.ts'
import { checkIntegrity, problemsOf } from './integrity.ts'
import { OWN_COLUMNS, RESERVED } from './schema.ts'
import { literal, quoted } from './statements.ts'

/** What one check has found. */
export interface Finding {
  readonly check: string
  /** How many things were looked at. */
  readonly seen: number
  readonly problems: readonly string[]
}

/** A document as it is stored, for checks of what its owner promises. */
export type StoredDocument = Readonly<Record<string, unknown>> & { readonly tenant: string; readonly id: string }

export interface StoreReader extends Disposable {
  /** Every document of a collection; none where there is no such collection. */
  documents(collection: string): Iterable<StoredDocument>
  /** `<key> <resource_version>` of every event; the time of the oldest and the lowest `seq`, 0 where there is none. */
  eventVersions(): { readonly versions: ReadonlySet<string>; readonly oldest: number; readonly first: number }
}

/** Fails with SQLite's error where the file can't be read at all. */
export function readStore(file: string): StoreReader {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  return {
    *documents(collection) {
      if (!tablesOf(db).includes(collection)) return
      for (const { body } of db.prepare(`SELECT body FROM ${quoted(collection)} WHERE json_valid(body)`).iterate())
        yield JSON.parse(String(body))
    },
    eventVersions() {
      const versions = new Set<string>()
      const range = db.prepare('SELECT min(time) AS oldest, min(seq) AS first FROM event_log').get()
      const events = db.prepare(
        "SELECT key, value ->> '$.resource_version' AS version FROM event_log WHERE json_valid(value)",
      )
      for (const { key, version } of events.iterate()) versions.add(`${key} ${version}`)
      return { versions, oldest: Number(range?.oldest), first: Number(range?.first) }
    },
    [Symbol.dispose]: () => db.close(),
  }
}

/** Problems are not told one by one beyond this. */
const MOST_PROBLEMS = 20

export async function verifySqlite(file: string, signal: AbortSignal): Promise<Finding[]> {
  const lost = lostCommits(file)
  const report = await checkIntegrity(file, 'integrity_check', signal)
  const unfinished = report.unfinished === undefined ? [] : [`the check did not come to its end: ${report.unfinished}`]
  const pages = [...problemsOf(report), ...unfinished]
  const findings: Finding[] = [
    { check: 'write-ahead log', seen: 1, problems: lost === undefined ? [] : [lost] },
    { check: 'pages and indexes', seen: report.tables.length, problems: pages },
  ]
  // What stands on broken pages can't be read in full, and says nothing new.
  if (pages.length > 0) return findings
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  try {
    return [...findings, documents(db), events(db)]
  } finally {
    db.close()
  }
}

const tablesOf = (db: DatabaseSync): string[] =>
  db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .all()
    .map(row => String(row.name))

/** Bodies are JSON of their tenant and id, versions are counted from 1, and indexed columns are what the bodies say. */
function documents(db: DatabaseSync): Finding {
  const problems: string[] = []
  let seen = 0
  for (const table of tablesOf(db).filter(name => !RESERVED.test(name))) {
    const columns = db
      .prepare(`PRAGMA table_info(${quoted(table)})`)
      .all()
      .map(column => String(column.name))
    const fields = columns.filter(column => !OWN_COLUMNS.includes(column) || column === 'tenant' || column === 'id')
    const same = fields.map(name => `(${quoted(name)} IS NULL OR ${quoted(name)} IS body ->> ${pathOf(name)})`)
    const isWhole = `CASE WHEN json_valid(body) THEN ${same.join(' AND ')} AND version >= 1 ELSE 0 END`
    seen += Number(db.prepare(`SELECT count(*) AS n FROM ${quoted(table)}`).get()?.n)
    const broken = db
      .prepare(`SELECT tenant, id FROM ${quoted(table)} WHERE NOT ${isWhole} LIMIT ${MOST_PROBLEMS}`)
      .all()
    for (const { tenant, id } of broken) problems.push(`${table} ${tenant} ${id}: its columns and its body differ`)
  }
  return { check: 'documents', seen, problems }
}

const pathOf = (field: string): string => literal(`$.${JSON.stringify(field)}`)

/** None is missing between the oldest and the newest, each is JSON, no id is there twice, no subscriber is ahead. */
function events(db: DatabaseSync): Finding {
  const problems: string[] = []
  const one = (sql: string) => db.prepare(sql).get() as Record<string, number | null>
  const { n, low, high } = one('SELECT count(*) AS n, min(seq) AS low, max(seq) AS high FROM event_log')
  const missing = n ? Number(high) - Number(low) + 1 - Number(n) : 0
  if (missing > 0) problems.push(`${missing} events between ${low} and ${high} are missing`)
  const broken = one('SELECT count(*) AS n FROM event_log WHERE NOT json_valid(value)').n
  if (broken) problems.push(`${broken} events are not JSON`)
  const twice = one('SELECT count(*) - count(DISTINCT id) AS n FROM event_log').n
  if (twice) problems.push(`${twice} events have the id of another`)
  const ahead = db.prepare('SELECT subscriber_group AS name, seq FROM event_subscriptions WHERE seq > ?').all(high ?? 0)
  for (const { name, seq } of ahead)
    problems.push(`${name} has read up to ${seq}, and the newest event is ${high ?? 0}`)
  return { check: 'events', seen: Number(n), problems }
}
