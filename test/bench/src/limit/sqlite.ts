/** A limit: what `node:sqlite` commits durably when it has nothing else to do. A document and an event, 64 of each a commit. */
import { DatabaseSync } from 'node:sqlite'
import { answerQuestions } from '../child.ts'

export interface SqliteInserts {
  /** An empty folder on the disk under test. */
  readonly folder: string
  readonly seconds: number
  /** Bytes of JSON in each. */
  readonly documentBytes: number
  readonly eventBytes: number
}

const pairsACommit = 64

/** Answers with pairs of document and event inserted a second. */
answerQuestions(({ folder, seconds, documentBytes, eventBytes }: SqliteInserts): number => {
  using db = new DatabaseSync(`${folder}/limit.db`)
  db.exec(`
    PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE IF NOT EXISTS document (tenant TEXT, id TEXT, version INTEGER, body TEXT, PRIMARY KEY (tenant, id)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS event (position INTEGER PRIMARY KEY, topic TEXT, key TEXT, id TEXT, value TEXT)`)
  const insertDocument = db.prepare('INSERT INTO document VALUES (?, ?, 1, ?)')
  const insertEvent = db.prepare('INSERT INTO event (topic, key, id, value) VALUES (?, ?, ?, ?)')
  const document = 'd'.repeat(documentBytes)
  const event = 'e'.repeat(eventBytes)

  let next = (db.prepare('SELECT count(*) AS n FROM event').get() as { n: number }).n
  const first = next
  const start = performance.now()
  const deadline = start + seconds * 1000
  while (performance.now() < deadline) {
    db.exec('BEGIN IMMEDIATE')
    for (let i = 0; i < pairsACommit; i += 1, next += 1) {
      const id = `task_${String(next).padStart(26, '0')}`
      insertDocument.run('acct_00000000000000000000000001/live', id, document)
      insertEvent.run('millhand.tasks.v1', id, `evt_${id}`, event)
    }
    db.exec('COMMIT')
  }
  return ((next - first) / (performance.now() - start)) * 1000
})
