import type { AppendedEvent, SqliteDatabase } from '@millhand/store/sqlite'
import type { LoggedEvent } from '../event-log.ts'
import { type BatchLimits, WINDOW } from './catch-up.ts'

const COLUMNS = 'seq, topic, key, id, type, time, value, traceparent, tenant'
type Row = [number, string, string, string, string, number, string, string | null, string | null]

interface Batch {
  readonly events: LoggedEvent[]
  readonly upTo: number
}

/** The next durable events of the topics after `seq`, and the `seq` up to which all of them were seen. */
export function readAfter(db: SqliteDatabase, topics: readonly string[], seq: number, most: BatchLimits): Batch {
  const end = Math.min(db.lastEvent, seq + most.rows)
  if (end <= seq) return { events: [], upTo: seq }
  const recent = db.recentEvents(seq, end)
  if (recent !== undefined) return chosen(recent, topics, seq, most.events)
  const rows = db.read<Row>(
    `SELECT ${COLUMNS} FROM event_log
     WHERE seq > ? AND seq <= ? AND topic IN (SELECT value FROM json_each(?)) ORDER BY seq LIMIT ?`,
    ...[seq, end, JSON.stringify(topics), most.events],
  )
  const last = rows.length === most.events ? rows.at(-1)?.[0] : undefined
  return { events: rows.map(eventOf), upTo: last ?? end }
}

/** The `seq` of the newest durable event of the topics, near the log's end: it looks no further than the last 2,000. */
export function newest(db: SqliteDatabase, topics: readonly string[]): number {
  const { lastEvent } = db
  const [found] = db.read<[number]>(
    `SELECT seq FROM event_log WHERE seq > ? AND seq <= ? AND topic IN (SELECT value FROM json_each(?))
     ORDER BY seq DESC LIMIT 1`,
    ...[lastEvent - WINDOW, lastEvent, JSON.stringify(topics)],
  )
  return found?.[0] ?? Math.max(lastEvent - WINDOW, 0)
}

/** The `seq` of the last event that a reader at this position has read; undefined for what is none. */
export function seqOf(position: string): number | undefined {
  if (position === 'beginning') return 0
  return /^\d{1,15}$/.test(position) ? Number(position) : undefined
}

/** The `seq` before the oldest event that has not been trimmed, or `seq` itself when that is later. */
export function skipTrimmed(db: SqliteDatabase, seq: number): number {
  const [oldest] = db.read<[number | null]>('SELECT min(seq) FROM event_log')[0] ?? [null]
  return Math.max(seq, (oldest ?? 1) - 1)
}

/** Of the events after `seq`. */
function chosen(recent: readonly AppendedEvent[], topics: readonly string[], seq: number, most: number): Batch {
  const events: LoggedEvent[] = []
  let upTo = seq
  for (const event of recent) {
    if (events.length === most) break
    upTo += 1
    if (topics.includes(event.topic)) events.push(event)
  }
  return { events, upTo }
}

function eventOf([seq, topic, key, id, type, time, value, traceparent, tenant]: Row): LoggedEvent {
  const event = { topic, key, id, type, time, value, position: String(seq) }
  return { ...event, ...(traceparent !== null && { traceparent }), ...(tenant !== null && { tenant }) }
}
