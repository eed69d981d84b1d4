/** Notes with events, in a database of their own. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import type { CollectionSpec, Document, OutboxEvent } from '../collection.ts'
import type { SqliteDatabase } from './sqlite.ts'

const folder = await mkdtemp(join(tmpdir(), 'store-'))
after(() => rm(folder, { recursive: true, force: true }))
let files = 0
export const newFile = () => join(folder, `${++files}`, 'store.db')

export interface Note extends Document {
  readonly text: string
}
export const NOTES = {
  name: 'notes',
  indexes: { by_text: { fields: ['tenant', 'text'] } },
} as const satisfies CollectionSpec

export function readEvents(db: SqliteDatabase): OutboxEvent[] {
  const rows = db.read<[string, string, string, string, number, string, string | null]>(
    'SELECT topic, key, id, type, time, value, traceparent FROM event_log ORDER BY seq',
  )
  return rows.map(([topic, key, id, type, time, value, traceparent]) => ({
    ...{ topic, key, id, type, time, value },
    ...(traceparent !== null && { traceparent }),
  }))
}

/** Inserts a note with one event for each of the times. */
export async function insert(db: SqliteDatabase, id: string, ...times: number[]): Promise<void> {
  const events = times.map((time, i) => ({ ...event(id, `${id}.${i}`), time }))
  await db
    .collection<Note, 'by_text'>(NOTES)
    .write({ kind: 'insert', document: { tenant: 't', id, text: 'x' }, events })
}

export const event = (key: string, id: string): OutboxEvent => ({
  topic: 'notes.v1',
  key,
  id,
  type: 'note',
  time: 1,
  value: '{}',
})
