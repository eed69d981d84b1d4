/**
 * The event log: the port behind which SQLite and Kafka stand. Appending is the store's part (the outbox); this is
 * the reading side. `event-log.contract.ts` holds every adapter to these comments.
 */
import type { OutboxEvent } from '@millhand/store'

export interface LoggedEvent extends OutboxEvent {
  /** Where it stands in the log; opaque, good for `tail`'s `from`. */
  readonly position: string
  /** Whose it is, where the log knows that without reading the event. */
  readonly tenant?: string
}

/** Whether a reader wants an event at once; it is called for each that is appended, so it has to be quick. */
export type IsUrgent = (event: Pick<LoggedEvent, 'tenant' | 'value'>) => boolean

/** How far a reader is, in events; `end - read` are yet to be read. Both count from the same, and only ever go up. */
export interface Progress {
  readonly read: number
  /** As many as the log has had. */
  readonly end: number
}

export interface EventLog {
  /**
   * Hands every event of the topics to `handler`, at least once, in order per key, in batches, until the signal
   * ends. The group's offset is durable: it moves on once `handler` has resolved, and a handler that rejects gets the
   * same events again after a backoff (up to 100 ms, doubling to 10 s). A log may hand on events some 100 ms late, many at
   * a time. A new group begins at the log's beginning.
   * Resolves when the signal has ended and the last handler is done. Subscribers of one group share the work.
   *
   * An event that the log has more than once, since an outbox may be published again, comes to one subscription once:
   * the latest 20,000 that it has handled are known. After a crash, and when the work of a subscriber goes to another,
   * events may come again that were handled: what must happen once keeps the ids of events beside what it does.
   */
  subscribe(
    group: string,
    topics: readonly string[],
    handler: (events: readonly LoggedEvent[]) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void>

  /**
   * Yields events of the topics from a position (`'beginning'`, `'end'`, or strictly after an event's `position`) and
   * goes on with new ones, until the signal ends; then it returns. Keeps no offset. A log may hand on events some 50 ms
   * late, many at a time. What comes right behind an urgent one is not late, nor is an urgent one where the log sees
   * events as they are appended.
   */
  tail(
    topics: readonly string[],
    from: string,
    signal: AbortSignal,
    isUrgent?: IsUrgent,
  ): AsyncIterable<readonly LoggedEvent[]>

  /** How far a tail of the topics would be at a position. Reads no events. Fails where the log can't be asked. */
  progress(topics: readonly string[], position: string): Promise<Progress>
}
