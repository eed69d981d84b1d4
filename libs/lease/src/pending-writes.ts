/**
 * Decisions about work that are not durable yet: one write for all that is pending for one piece of work, and one write
 * of it at a time. docs/decisions/one-write-a-life.md.
 */
import type { Change, OutboxEvent, WriteResult } from '@millhand/store'
import type { Work } from './work.ts'

/** How soon a decision is written: `now` where an answer waits for it; what `rests` waits for the next one of its work. */
export type Urgency = 'now' | 'rests'

/** The longest rest of a change, in milliseconds. */
export const REST_MS = 30

/**
 * The longest rest of new work and of what follows before it is written: as long as its create waits for its end, since
 * nobody has heard of it. Under load a life is longer than `REST_MS`, and would be three writes again.
 */
export const REST_OF_NEW_MS = 250

/** A store that has owed an answer for longer than this is behind: nothing begins meanwhile that it does not know of. */
const BEHIND_MS = 200

interface PendingWritesOptions<T extends Work> {
  readonly write: (change: Change<T>) => Promise<WriteResult>
  /** Hears of each write once it is durable: what the store had before, and what it has. */
  readonly onDurable: (before: T | undefined, after: T) => void
  /**
   * Hears of the latest state of what may have been written all the same, and of what rested and was not written: the store
   * tells. `hasRested`: whether somebody has acted on it.
   */
  readonly onVoid: (latest: T, hasRested: boolean) => void
}

/** What is pending for one piece of work. */
interface Pending<T> {
  readonly key: string
  /** What the store has when this is written. */
  readonly before: T | undefined
  latest: T
  readonly events: OutboxEvent[]
  /** By `performance.now()`, when it is written at the latest. */
  dueAt: number
  /** Whether somebody has acted on a decision in it before it was written. */
  hasRested: boolean
  /** Whether it was written; false for a conflict. Rejects as the write does. */
  readonly written: PromiseWithResolvers<boolean>
  /** What became of it, once that is known. */
  outcome: 'pending' | 'durable' | 'void'
}

export class PendingWrites<T extends Work> {
  readonly #options: PendingWritesOptions<T>
  /** What takes up the next decision. */
  readonly #open = new Map<string, Pending<T>>()
  /** What the store was asked to write, and when. */
  readonly #underWay = new Map<string, { readonly pending: Pending<T>; readonly askedAt: number }>()
  #timer: NodeJS.Timeout | undefined
  /** When the timer ends, by `performance.now()`. */
  #wakesAt = 0
  #failed = false

  constructor(options: PendingWritesOptions<T>) {
    this.#options = options
  }

  /** Whether the store keeps up: it answers soon, and its latest answer was no failure. */
  get keepsUp(): boolean {
    const [oldest] = this.#underWay.values()
    return !this.#failed && (oldest === undefined || performance.now() - oldest.askedAt < BEHIND_MS)
  }

  /** The work as it was decided last, where that is not durable yet. */
  latest(tenant: string, id: string): T | undefined {
    const key = keyOf(tenant, id)
    return (this.#open.get(key) ?? this.#underWay.get(key)?.pending)?.latest
  }

  /** The work as last decided, where that decision is not being written yet. */
  resting(tenant: string, id: string): T | undefined {
    const pending = this.#open.get(keyOf(tenant, id))
    return pending !== undefined && pending.dueAt > 0 ? pending.latest : undefined
  }

  /**
   * Takes up what was decided: `after`, whose version is the next after `before`, the latest or what the store has.
   * Resolves with true once it is durable, and with false when something else has changed the work before. Rejects as
   * the store does: then it may have been written or not.
   */
  add(before: T | undefined, after: T, events: readonly OutboxEvent[], urgency: Urgency): Promise<boolean> {
    const key = keyOf(after.tenant, after.id)
    const pending = this.#open.get(key) ?? this.#openFor(key, before, after)
    pending.latest = after
    pending.events.push(...events)
    if (urgency === 'now') this.#hurry(pending)
    else {
      pending.hasRested = true
      if (pending.dueAt !== 0) this.#wakeAt(pending.dueAt)
    }
    return pending.written.promise
  }

  /** Writes what is pending for the work now, and resolves with what the store has then; undefined where it is to be asked. */
  async settle(tenant: string, id: string): Promise<T | undefined> {
    const key = keyOf(tenant, id)
    const pending = this.#open.get(key) ?? this.#underWay.get(key)?.pending
    if (pending === undefined) return undefined
    this.#hurry(pending)
    const isWritten = await pending.written.promise.catch(() => false)
    return isWritten ? pending.latest : undefined
  }

  /** Writes all that rests now. */
  flush(): void {
    for (const pending of [...this.#open.values()]) this.#hurry(pending)
  }

  /** What is pending at this moment, for `newest`; undefined where nothing is. */
  snapshot(): ReadonlyMap<string, unknown> | undefined {
    if (this.#open.size + this.#underWay.size === 0) return undefined
    const all = new Map([...this.#underWay].map(([key, { pending }]) => [key, pending]))
    for (const [key, pending] of this.#open) all.set(key, pending)
    return all
  }

  /** Of work that was read since a snapshot: what was decided of it meanwhile, where that is later. */
  newest(read: T, snapshot: ReadonlyMap<string, unknown> | undefined): T {
    const key = keyOf(read.tenant, read.id)
    const then = snapshot?.get(key) as Pending<T> | undefined
    const known = this.latest(read.tenant, read.id) ?? (then?.outcome === 'void' ? undefined : then?.latest)
    return known !== undefined && known.version > read.version ? known : read
  }

  #openFor(key: string, before: T | undefined, latest: T): Pending<T> {
    const written = Promise.withResolvers<boolean>()
    written.promise.catch(() => {}) // Of what rests nobody waits for the answer.
    const dueAt = performance.now() + (before === undefined ? REST_OF_NEW_MS : REST_MS)
    const begun = { hasRested: false, outcome: 'pending' } as const
    const pending: Pending<T> = { key, before, latest, events: [], dueAt, written, ...begun }
    this.#open.set(key, pending)
    return pending
  }

  /** Writes it now, or as soon as the write before is answered. */
  #hurry(pending: Pending<T>): void {
    pending.dueAt = 0
    if (this.#open.get(pending.key) === pending && !this.#underWay.has(pending.key)) this.#write(pending)
  }

  #write(pending: Pending<T>): void {
    const { key, before, latest, events } = pending
    this.#open.delete(key)
    this.#underWay.set(key, { pending, askedAt: performance.now() })
    const { version } = latest
    const change: Change<T> =
      before === undefined
        ? { kind: 'insert', version, document: latest, events }
        : { kind: 'replace', version: before.version, to: version, document: latest, events }
    this.#options.write(change).then(
      ({ kind }) => {
        this.#failed = false
        if (kind === 'written') this.#durable(pending)
        else this.#void(pending, false, next => next.written.resolve(false))
      },
      error => {
        this.#failed = true
        // A sync or an answer that failed may come after the commit, and nothing else would ever tell of that.
        this.#void(pending, true, next => next.written.reject(error))
      },
    )
  }

  #durable(pending: Pending<T>): void {
    const { key, before, latest, written } = pending
    this.#underWay.delete(key)
    pending.outcome = 'durable'
    const next = this.#open.get(key)
    if (next !== undefined && next.dueAt <= performance.now()) this.#write(next)
    this.#options.onDurable(before, latest)
    written.resolve(true)
  }

  /** What was decided on top of it came to nothing as well. */
  #void(pending: Pending<T>, isInDoubt: boolean, answer: (pending: Pending<T>) => void): void {
    const { key } = pending
    const next = this.#open.get(key)
    this.#underWay.delete(key)
    this.#open.delete(key)
    const all = next === undefined ? [pending] : [pending, next]
    for (const one of all) {
      one.outcome = 'void'
      answer(one)
    }
    const hasRested = all.some(one => one.hasRested)
    if (isInDoubt || hasRested) this.#options.onVoid((next ?? pending).latest, hasRested)
  }

  #wakeAt(dueAt: number): void {
    if (this.#timer !== undefined && this.#wakesAt <= dueAt) return
    clearTimeout(this.#timer)
    this.#wakesAt = dueAt
    this.#timer = setTimeout(() => this.#wake(), Math.max(1, dueAt - performance.now()))
  }

  #wake(): void {
    this.#timer = undefined
    const now = performance.now() + 1
    let next = Number.POSITIVE_INFINITY
    for (const pending of [...this.#open.values()]) {
      if (pending.dueAt <= now) this.#hurry(pending)
      else next = Math.min(next, pending.dueAt)
    }
    if (next !== Number.POSITIVE_INFINITY) this.#wakeAt(next)
  }
}

const keyOf = (tenant: string, id: string) => `${tenant}/${id}`
