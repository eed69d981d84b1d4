import { LRUCache } from 'lru-cache'
import type { Outbox, OutboxView } from './outbox.ts'

/** How many documents are remembered, a few hundred bytes each. */
const MOST_KNOWN = 20_000
/** How many writes before the last are remembered of each. */
const MOST_EARLIER = 4

/** A write of a document: every event that was in the outbox after it has reached the relay of this process. */
export interface KnownOutbox {
  /** The version that the write made. */
  readonly version: number
  /** The token of the write. */
  readonly writeId: string
  /** The tokens of the writes before, as far as they are known. */
  readonly earlier: readonly string[]
  /** Whether all those events are published, or set aside. */
  readonly isPublished: boolean
}

/**
 * What a relay knows of outboxes, for as long as it runs. Each entry stays true for ever. Whether the document is still
 * as that write left it, only the server can tell: the next write asks for that in its filter.
 */
export class KnownOutboxes {
  readonly #known = new LRUCache<string, KnownOutbox>({ max: MOST_KNOWN })

  /** The latest of a document. */
  get(outbox: Outbox, key: string): KnownOutbox | undefined {
    return this.#known.get(nameOf(outbox, key))
  }

  set(outbox: Outbox, { key, version, writeId, follows }: OutboxView): void {
    const last = this.get(outbox, key)
    if (last?.writeId === writeId) return
    const earlier = last && last.writeId === follows ? [follows, ...last.earlier].slice(0, MOST_EARLIER) : []
    if (version === undefined) this.forget(outbox, key)
    else this.#known.set(nameOf(outbox, key), { version, writeId, earlier, isPublished: false })
  }

  /** The events of this view are published. */
  publish(outbox: Outbox, { key, writeId }: OutboxView): void {
    const known = this.get(outbox, key)
    if (known?.writeId === writeId) this.#known.set(nameOf(outbox, key), { ...known, isPublished: true })
  }

  forget(outbox: Outbox, key: string): void {
    this.#known.delete(nameOf(outbox, key))
  }
}

const nameOf = (outbox: Outbox, key: string) => `${outbox.name} ${key}`
