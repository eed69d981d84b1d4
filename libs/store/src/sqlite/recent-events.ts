import type { OutboxEvent } from '../collection.ts'

/** An event as it was appended: one object for all readers of the log. */
export interface AppendedEvent extends OutboxEvent {
  readonly tenant: string
  /** Its `seq`, as text. */
  readonly position: string
}

/** A reader that keeps up is some hundred events behind; more than this is read from the file. */
const MOST_EVENTS = 4_000
/** UTF-16 units of all their texts. */
const MOST_TEXT = 4 * 1024 * 1024

/**
 * The end of the log in memory: its readers come some milliseconds after an append, and each of them would read the same
 * rows from the file.
 */
export class RecentEvents {
  /** Their `seq` ascends by one. */
  #events: AppendedEvent[] = []
  /** The `seq` of the first of them. */
  #first = 1
  #text = 0

  /** The next events of the log, of which the first has this `seq`. */
  add(first: number, events: readonly AppendedEvent[]): void {
    if (first !== this.#first + this.#events.length) this.#clear(first)
    for (const event of events) {
      this.#events.push(event)
      this.#text += event.value.length
    }
    if (this.#events.length > MOST_EVENTS || this.#text > MOST_TEXT) this.#drop()
  }

  /** Those after `seq` up to `upTo`; undefined where one of them is not here any more. */
  between(seq: number, upTo: number): readonly AppendedEvent[] | undefined {
    if (seq + 1 < this.#first || upTo >= this.#first + this.#events.length) return undefined
    return this.#events.slice(seq + 1 - this.#first, upTo + 1 - this.#first)
  }

  /** Half of what may be: so that not every append moves all that stays. */
  #drop(): void {
    let dropped = 0
    while (this.#events.length - dropped > MOST_EVENTS / 2 || this.#text > MOST_TEXT / 2) {
      this.#text -= this.#events[dropped]?.value.length ?? 0
      dropped += 1
    }
    this.#events.splice(0, dropped)
    this.#first += dropped
  }

  #clear(first: number): void {
    this.#events = []
    this.#first = first
    this.#text = 0
  }
}
