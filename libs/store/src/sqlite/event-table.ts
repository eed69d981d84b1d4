import type { OutboxEvent } from '../collection.ts'
import type { Prepare } from './statements.ts'

/**
 * The log, one row an event. `seq` is the highest that was ever used plus one: no AUTOINCREMENT, whose counter is a
 * second row to write, because trimming always leaves the newest event.
 */
export const EVENT_TABLES = `
  CREATE TABLE event_log (
    seq INTEGER PRIMARY KEY, topic TEXT NOT NULL, key TEXT NOT NULL, id TEXT NOT NULL, type TEXT NOT NULL,
    time INTEGER NOT NULL, value TEXT NOT NULL, traceparent TEXT
  );
  CREATE TABLE event_subscriptions (subscriber_group TEXT PRIMARY KEY, seq INTEGER NOT NULL);`

export type AppendedListener = (topics: ReadonlySet<string>) => void

/** Appends events to the group that is being committed, and tells of them once they are durable. */
export class EventTable {
  readonly #prepare: Prepare
  readonly #listeners = new Set<AppendedListener>()
  #topics = new Set<string>()
  #appended: number
  /** The newest durable event's `seq`; 0 when there was none ever. */
  durable: number

  constructor(prepare: Prepare) {
    this.#prepare = prepare
    this.#appended = this.#highest()
    this.durable = this.#appended
  }

  listen(listener: AppendedListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  append(events: readonly OutboxEvent[]): void {
    const insert = this.#prepare('INSERT INTO event_log VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
    for (const event of events) {
      const { topic, key, id, type, time, value, traceparent } = event
      insert.run(this.#appended + 1, topic, key, id, type, time, value, traceparent ?? null)
      this.#appended += 1
      this.#topics.add(topic)
    }
  }

  committed(): void {
    this.durable = this.#appended
    if (this.#topics.size === 0) return
    const topics = this.#topics
    this.#topics = new Set()
    for (const listener of this.#listeners) listener(topics)
  }

  undone(): void {
    this.#topics.clear()
    this.#appended = this.#highest()
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
}
