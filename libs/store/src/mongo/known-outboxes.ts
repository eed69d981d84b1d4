import type { Clock } from '@millhand/process'
import type { OutboxEvent } from '../collection.ts'
import { ChangedDocuments } from './changed-documents.ts'
import type { Outbox, OutboxMark, OutboxView } from './outbox.ts'
import { Waiter } from './waiter.ts'
import type { ExpectedOutbox } from './write-statement.ts'

/** With so many published events in it an outbox is cleared before it rests: others may write it without a pause. */
const MOST_SENT = 20

/** What this process knows of the outbox of one document. */
export interface KnownOutbox {
  readonly outbox: Outbox
  readonly key: string
  /** The write that left the outbox so; undefined while nothing is known. */
  writeId: string | undefined
  tombstone: boolean
  /** Whether it is marked as one that may hold something. */
  pending: boolean
  /**
   * The ids of its first events, which are published, and '' for one that was set aside: an operator may put that one
   * back, so it is never taken for published.
   */
  sent: string[]
  /** Its other events, oldest first. What is published is shifted from the same array; all other changes make one. */
  unsent: OutboxEvent[]
  /** Whether more was written than is known here: it is read before it is published from. */
  toRead: boolean
  /** How many writes and reads of the document this process has begun and not ended: it is remembered until then. */
  underWay: number
  /** When it changed, in monotonic milliseconds. */
  changedAt: number
}

/** A write of this process that was made. */
export interface MadeWrite {
  readonly writeId: string
  readonly kind: 'insert' | 'replace' | 'remove'
  readonly events: readonly OutboxEvent[]
  /** Whether the outbox was as the write expected it. */
  readonly isExact: boolean
}

/** A write that has begun, with what was known then. */
export interface OngoingWrite {
  readonly known: KnownOutbox
  /** Undefined where nothing can be expected. */
  readonly expected: ExpectedOutbox | undefined
  readonly unsent: readonly OutboxEvent[]
  /** How many events the write takes out. */
  readonly taken: number
}

/**
 * The outboxes that this process has to do something about: to read, to publish from, or to clear. Forgetting one is
 * safe: a sweep finds it, and it is read then. What is known is of one write, and each write of the document has another
 * id: so whatever is done by it is done only where it is still true.
 */
export class KnownOutboxes {
  /** Those to read or to publish from. */
  readonly due = new ChangedDocuments()
  readonly #clock: Clock
  readonly #all = new Map<Outbox, Map<string, KnownOutbox>>()
  readonly #waiter = new Waiter()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get(outbox: Outbox, key: string): KnownOutbox | undefined {
    return this.#all.get(outbox)?.get(key)
  }

  /** A write or a read of the document begins. Nothing is forgotten until its `end`, so that it sees what came between. */
  begin(outbox: Outbox, key: string): KnownOutbox {
    const known = this.get(outbox, key) ?? this.#add(outbox, key)
    known.underWay += 1
    return known
  }

  end(known: KnownOutbox): void {
    known.underWay -= 1
    this.#tidy(known)
  }

  /** This process begins a write of the document; `leaves` where it leaves something in the outbox. */
  beginWrite(outbox: Outbox, key: string, leaves: boolean): OngoingWrite | undefined {
    if (!leaves && !this.get(outbox, key)) return undefined
    const known = this.begin(outbox, key)
    const { toRead, writeId, sent, unsent } = known
    const keeps = sent.length > 0 || unsent.length === 0 ? [...unsent] : undefined
    return { known, expected: toRead ? undefined : { writeId, keeps }, unsent, taken: sent.length }
  }

  /** `made` is undefined where it was not made, or where that is not known. */
  endWrite(ongoing: OngoingWrite, made: MadeWrite | undefined): void {
    if (made) this.#wrote(ongoing, made)
    this.end(ongoing.known)
  }

  /** This process wrote the document, in a write that did not begin here. */
  changed(outbox: Outbox, key: string): void {
    const known = this.begin(outbox, key)
    this.#reread(known)
    this.end(known)
  }

  /** It was read since `begin`, while others may have published from it. */
  saw(known: KnownOutbox, view: OutboxView): void {
    if (!view.pending || (!known.toRead && known.writeId === view.writeId)) return
    if (known.writeId !== undefined || known.toRead || !this.#hasRoom(known)) {
      this.#reread(known)
      return
    }
    this.#adopt(known, view)
    if (known.unsent.length > 0) this.due.note(known.outbox, known.key)
  }

  /** More was written than is known. */
  #reread(known: KnownOutbox): void {
    known.toRead = true
    if (!this.due.note(known.outbox, known.key)) this.#forget(known)
  }

  /** One that was to be read was, while nothing was published; undefined where there is no such document. */
  read(known: KnownOutbox, view: OutboxView | undefined): void {
    if (view === undefined) {
      this.#forget(known)
      return
    }
    this.#adopt(known, view)
    known.toRead = this.due.has(known.outbox, known.key) // Since it was taken from there.
    this.#tidy(known)
  }

  /** The log has the event, or `dead_events` has. */
  published(known: KnownOutbox, event: OutboxEvent, isSetAside: boolean): void {
    if (known.unsent[0] !== event) return // Meanwhile it was written or forgotten.
    known.unsent.shift()
    known.sent.push(isSetAside ? '' : event.id)
    known.changedAt = this.#clock.monotonic()
    this.#tidy(known)
  }

  /** Resolves when any is known, or when the signal ends. */
  async some(signal: AbortSignal): Promise<void> {
    const isAny = () => [...this.#all.values()].some(keys => keys.size > 0)
    if (!isAny()) await this.#waiter.until(isAny, signal)
  }

  /**
   * Those to clear: all of it was published, `ms` ago where that is little, and no write is on its way, which would clear
   * it as well.
   */
  idle(ms: number): ReadonlyMap<Outbox, readonly OutboxMark[]> {
    const latest = this.#clock.monotonic() - ms
    const found = new Map<Outbox, OutboxMark[]>()
    for (const [outbox, keys] of this.#all) {
      const marks: OutboxMark[] = []
      for (const { key, writeId, tombstone, pending, sent, unsent, toRead, underWay, changedAt } of keys.values()) {
        const isDone = pending && !toRead && unsent.length === 0 && underWay === 0
        const isDue = changedAt <= latest || sent.length >= MOST_SENT
        if (isDone && isDue && writeId !== undefined) marks.push({ key, writeId, tombstone })
      }
      if (marks.length > 0) found.set(outbox, marks)
    }
    return found
  }

  /** They were cleared; not all of them where others have written some since. */
  cleared(outbox: Outbox, marks: readonly OutboxMark[], isAll: boolean): void {
    for (const { key, writeId } of marks) {
      const known = this.get(outbox, key)
      if (known === undefined || known.toRead || known.writeId !== writeId) continue
      if (!isAll) {
        this.#reread(known)
        continue
      }
      known.pending = false
      known.sent = []
      this.#tidy(known)
    }
  }

  #wrote({ known, unsent: before, taken }: OngoingWrite, { writeId, kind, events, isExact }: MadeWrite): void {
    const follows = isExact && !known.toRead && known.unsent === before
    if (!follows || !this.#hasRoom(known)) {
      this.#reread(known)
      return
    }
    const isInsert = kind === 'insert' // In the place of nothing.
    const tombstone = kind === 'remove'
    const sent = isInsert ? [] : known.sent.slice(taken)
    const unsent = isInsert ? [...events] : [...known.unsent, ...events]
    const pending = tombstone || sent.length + unsent.length > 0
    Object.assign(known, { writeId, tombstone, pending, sent, unsent, changedAt: this.#clock.monotonic() })
    if (unsent.length > 0) this.due.note(known.outbox, known.key)
  }

  #add(outbox: Outbox, key: string): KnownOutbox {
    const known: KnownOutbox = { outbox, key, underWay: 0, ...nothing() }
    const keys = this.#all.get(outbox) ?? new Map<string, KnownOutbox>()
    this.#all.set(outbox, keys.set(key, known))
    this.#waiter.wake()
    return known
  }

  /** What can't be taken next may wait for long, and is read then: no more events are held in memory. */
  #hasRoom({ outbox, key }: KnownOutbox): boolean {
    return this.due.has(outbox, key) || !this.due.isMany(outbox)
  }

  #adopt(known: KnownOutbox, { writeId, tombstone, pending, events }: OutboxView): void {
    // An outbox is only ever cleared as a whole: it begins with all that was sent, or has none of it.
    const isThere = known.sent.every((id, place) => events[place]?.id === id)
    const sent = isThere ? known.sent : []
    const unsent = events.slice(sent.length)
    Object.assign(known, { writeId, tombstone, pending, sent, unsent, changedAt: this.#clock.monotonic() })
  }

  #tidy(known: KnownOutbox): void {
    if (!known.pending && !known.toRead && known.unsent.length === 0) this.#forget(known)
  }

  #forget(known: KnownOutbox): void {
    Object.assign(known, nothing())
    if (known.underWay === 0 && this.get(known.outbox, known.key) === known)
      this.#all.get(known.outbox)?.delete(known.key)
  }
}

const nothing = () => ({
  writeId: undefined,
  tombstone: false,
  pending: false,
  sent: [],
  unsent: [],
  toRead: false,
  changedAt: 0,
})
