/** Fills a store with copies of the tasks that it has, through the store's own port, in a process of its own. */
import { join } from 'node:path'
import { createIds } from '@millhand/api'
import { type TaskIndex, type TaskRecord, tasksSpec } from '@millhand/compute'
import type { Collection, Draft, OutboxEvent } from '@millhand/store'
import { openSqlite, type SqliteDatabase } from '@millhand/store/sqlite'
import { answerQuestions } from '../child.ts'

export interface Fill {
  readonly dataDir: string
  /** How many it holds in the end. */
  readonly tasks: number
}

export interface Filled {
  /** Of some of the copies, from the oldest to the newest. */
  readonly ids: readonly string[]
}

/** As many at once as the store takes in one commit. */
const batch = 1000
/** The copies' ids are as old as if their tasks had come evenly over the last day. */
const spreadMs = 86_400_000
const idsWanted = 1000

answerQuestions(async ({ dataDir, tasks }: Fill): Promise<Filled> => {
  const db = openSqlite({ file: join(dataDir, 'millhand.db') })
  const collection: Collection<TaskRecord, TaskIndex> = db.collection(tasksSpec)
  const templates = await readTemplates(db, collection)
  const copies = tasks - templates.length
  let made = 0
  const newId = createIds({ now: () => Date.now() - spreadMs + Math.floor((made / copies) * (spreadMs - 60_000)) })
  const ids: string[] = []
  const every = Math.max(1, Math.floor(copies / idsWanted))

  while (made < copies) {
    const writes: Promise<unknown>[] = []
    for (let n = Math.min(batch, copies - made); n > 0; n -= 1, made += 1) {
      const template = templates[made % templates.length] as Template
      const id = newId('task')
      if (made % every === 0) ids.push(id)
      writes.push(collection.write({ kind: 'insert', ...copied(template, id, () => newId('evt')) }))
    }
    await Promise.all(writes)
  }
  await db.close()
  return { ids }
})

interface Template {
  readonly document: TaskRecord
  readonly events: readonly OutboxEvent[]
}

async function readTemplates(db: SqliteDatabase, collection: Collection<TaskRecord>): Promise<Template[]> {
  const rows = db.read<[tenant: string]>('SELECT DISTINCT tenant FROM tasks')
  const documents = await collection.find('primary', { equals: [rows[0]?.[0] as string], limit: 1000 })
  return documents.map(document => ({ document, events: eventsOf(db, document.id) }))
}

function eventsOf(db: SqliteDatabase, key: string): OutboxEvent[] {
  type Row = [topic: string, id: string, type: string, time: number, value: string]
  const rows = db.read<Row>('SELECT topic, id, type, time, value FROM event_log WHERE key = ? ORDER BY seq', key)
  return rows.map(([topic, id, type, time, value]) => ({ topic, key, id, type, time, value }))
}

/** The same task under another id. */
function copied({ document, events }: Template, id: string, newEventId: () => string) {
  const { version: _, ...rest } = document
  const draft: Draft<TaskRecord> = { ...rest, id }
  return {
    document: draft,
    events: events.map(event => {
      const eventId = newEventId()
      return { ...event, key: id, id: eventId, value: event.value.replace(event.id, eventId).replace(document.id, id) }
    }),
  }
}
