import { noAccount, type OutboxEvent } from '../collection.ts'
import { type AppendedEvent, RecentEvents } from './recent-events.ts'
import type { Prepare } from './statements.ts'

/**
 * The log, one row an event. `seq` is the highest that was ever used plus one: no AUTOINCREMENT, whose counter is a
 * second row to write, because trimming always leaves the newest event. `tenant` is that of the document that changed, or what the event names where the document belongs to no account.
 * `arrived` is when it was appended, in microseconds since 1970; it ascends with `seq`, so that lists in this order never
 * get an event in their middle. The indexes serve the lists of events (`libs/eventlog/src/sqlite/archive.ts`). Files made before
 * 2026-11-28 have `id` in the one by time too, which the same queries use as well: those of one millisecond are few to sort.
 */
export const EVENT_TABLES = `
  CREATE TABLE event_log (
    seq INTEGER PRIMARY KEY, topic TEXT NOT NULL, key TEXT NOT NULL, id TEXT NOT NULL, type TEXT NOT NULL,
    time INTEGER NOT NULL, value TEXT NOT NULL, traceparent TEXT, tenant TEXT, arrived INTEGER
  );
  CREATE TABLE event_subscriptions (subscriber_group TEXT PRIMARY KEY, seq INTEGER NOT NULL);`

export const EVENT_INDEXES = `
  CREATE INDEX event_log_by_id ON event_log (id);
  CREATE INDEX event_log_by_arrival ON event_log (tenant, arrived);
  CREATE INDEX event_log_by_type ON event_log (tenant, type, arrived);
  CREATE INDEX event_log_by_resource ON event_log (key, arrived);
  CREATE INDEX event_log_by_time ON event_log (tenant, time);`

/**
 * From the layout before: events had neither tenant nor arrival, and were kept a second time in a collection. Events whose
 * text names no account stay without a tenant: no list shows them, and subscribers read them as before.
 */
export const ADD_TENANT_AND_ARRIVAL = `
  ALTER TABLE event_log ADD COLUMN tenant TEXT;
  ALTER TABLE event_log ADD COLUMN arrived INTEGER;
  UPDATE event_log SET tenant = value ->> '$.account_id' || '/' || (value ->> '$.mode') WHERE json_valid(value);
  UPDATE event_log SET arrived = there.arrived FROM (
    SELECT seq, max(time * 1000 - seq) OVER (ORDER BY seq) + seq AS arrived FROM event_log
  ) AS there WHERE event_log.seq = there.seq;
  DROP TABLE IF EXISTS archived_events;`

export type AppendedListener = (events: readonly AppendedEvent[]) => void

/** Further ahead of the clock than this the last arrival was no step back but a clock gone wrong: it is not followed. */
const MOST_AHEAD_US = 3_600_000_000

/** Appends events to the group that is being committed, and tells of them once they are durable. */
export class EventTable {
  readonly #prepare: Prepare
  readonly #listeners = new Set<AppendedListener>()
  /** The last ones that are durable. */
  readonly recent = new RecentEvents()
  /** Those after `durable`. */
  #group: AppendedEvent[] = []
  #appended: number
  #arrived: number
  /** The newest durable event's `seq`; 0 when there was none ever. */
  durable: number

  constructor(prepare: Prepare) {
    this.#prepare = prepare
    this.#appended = this.#highest()
    this.#arrived = this.#lastArrived()
    this.durable = this.#appended
  }

  listen(listener: AppendedListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  append(events: readonly OutboxEvent[], tenant: string): void {
    if (events.length === 0) return
    const insert = this.#prepare('INSERT INTO event_log VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
    for (const event of events) {
      const { topic, key, id, type, time, value, traceparent } = event
      const seq = this.#appended + 1
      const owner = tenant === noAccount ? (namedTenant(value) ?? tenant) : tenant
      insert.run(seq, topic, key, id, type, time, value, traceparent ?? null, owner, this.#nextArrival())
      this.#appended = seq
      this.#group.push({ ...event, tenant: owner, position: String(seq) })
    }
  }

  has(id: string): boolean {
    return this.#prepare('SELECT 1 FROM event_log INDEXED BY event_log_by_id WHERE id = ?').get(id) !== undefined
  }

  committed(): void {
    const first = this.durable + 1
    this.durable = this.#appended
    if (this.#group.length === 0) return
    const group = this.#group
    this.#group = []
    this.recent.add(first, group)
    for (const listener of this.#listeners) listener(group)
  }

  /** What is in the file all the same, since the sync failed and not the commit, is told of with the next group. */
  undone(): void {
    this.#appended = this.#highest()
    this.#group.length = Math.max(0, this.#appended - this.durable)
  }

  /**
   * How far, at most 500 events on and not beyond `upTo`, the log may be cut: older than `before` (ms since 1970), behind
   * every group, and not the newest. 0 when nothing may go.
   */
  cut(before: number, upTo: number): { seq: number; events: number } {
    const rows = this.#prepare(
      `SELECT seq, time FROM event_log
       WHERE seq <= (SELECT coalesce(min(seq), 9e15) FROM event_subscriptions) AND seq <= ? AND seq < ?
       ORDER BY seq LIMIT 500`,
    ).all(upTo, this.durable) as unknown as [number, number][]
    const young = rows.findIndex(([, time]) => time >= before)
    const old = young === -1 ? rows : rows.slice(0, young)
    return { seq: old.at(-1)?.[0] ?? 0, events: old.length }
  }

  #highest(): number {
    const [seq] = this.#prepare('SELECT coalesce(max(seq), 0) FROM event_log').get() as unknown as [number]
    return seq
  }

  #nextArrival(): number {
    const now = Date.now() * 1000
    this.#arrived = this.#arrived > now + MOST_AHEAD_US ? now : Math.max(now, this.#arrived + 1)
    return this.#arrived
  }

  #lastArrived(): number {
    const row = this.#prepare('SELECT arrived FROM event_log ORDER BY seq DESC LIMIT 1').get()
    return (row as unknown as [number | null] | undefined)?.[0] ?? 0
  }
}

/** Of an event about an account, whose document belongs to no tenant. */
function namedTenant(value: string): string | undefined {
  try {
    const { account_id, mode } = JSON.parse(value)
    return typeof account_id === 'string' && typeof mode === 'string' ? `${account_id}/${mode}` : undefined
  } catch {
    return undefined
  }
}
