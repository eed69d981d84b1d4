/**
 * When the engine was last observed. A run was there until then, whatever is seen of it now: so a time counts for an
 * instance only once its record has what was seen at that time.
 */
import type { KeyMode } from '@millhand/api'
import { type Collection, type Document, noAccount } from '@millhand/store'

/** One document for all instances of a mode. */
export interface ObservedAt extends Document {
  readonly at: number
}

export interface ObservationTimesDeps {
  readonly observedAt: Collection<ObservedAt>
  readonly mode: KeyMode
}

/** Times are milliseconds since 1970, by the owner's steady clock. */
export class ObservationTimes {
  readonly #deps: ObservationTimesDeps
  #latest: number | undefined
  /** As an owner before this one noted it. */
  #loaded = 0
  #noted = 0
  #notedBy = Number.NEGATIVE_INFINITY
  /** The instances whose records lack what was seen at the latest time, with the time that counts for them. */
  readonly #behind = new Map<string, number>()

  constructor(deps: ObservationTimesDeps) {
    this.#deps = deps
  }

  /** Takes up what the owner before has noted; nothing later than `now` counts. */
  async load(now: number): Promise<void> {
    const { observedAt, mode } = this.#deps
    this.#noted = Math.min((await observedAt.get(noAccount, mode))?.at ?? now, now)
    this.#loaded = this.#noted
    this.#latest = this.#noted
  }

  get latest(): number | undefined {
    return this.#latest
  }

  /** The time that counts for an instance where it isn't the latest. */
  behind(id: string): number | undefined {
    return this.#behind.get(id)
  }

  /** The ids of those instances; first those that have been so for longest. */
  allBehind(): Iterable<string> {
    return this.#behind.keys()
  }

  /** An instance that another owner may have changed since the load. */
  taken(id: string): void {
    if (this.#latest !== this.#loaded) this.#behind.set(id, this.#loaded)
  }

  /** The record of an instance could not be changed as the observation at hand asks for. */
  missed(id: string): void {
    if (!this.#behind.has(id) && this.#latest !== undefined) this.#behind.set(id, this.#latest)
  }

  /** The record of an instance has what was seen, or there is none any more. */
  applied(id: string): void {
    this.#behind.delete(id)
  }

  /** All records but those that were missed have what was seen at `askedAt`. */
  advance(askedAt: number): void {
    this.#latest = askedAt
  }

  /** Whether the note in the store is older than `ms`. */
  isNoteOlder(ms: number): boolean {
    return (this.#latest ?? 0) - this.#notedBy >= ms
  }

  /** Notes the latest time that counts for all: after a crash, what is gone by then was there until then. */
  async note(): Promise<void> {
    const { observedAt, mode } = this.#deps
    let oldest = this.#latest ?? 0
    for (const at of this.#behind.values()) oldest = Math.min(oldest, at)
    this.#noted = Math.max(this.#noted, oldest)
    const before = await observedAt.get(noAccount, mode)
    const document = { tenant: noAccount, id: mode, at: this.#noted }
    if (before === undefined) await observedAt.write({ kind: 'insert', document, events: [] })
    else await observedAt.write({ kind: 'replace', version: before.version, document, events: [] })
    this.#notedBy = this.#latest ?? 0
  }
}
