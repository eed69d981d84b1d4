/** The one way in which work changes: a pure transition, then a compare-and-set together with its events. */
import type { Clock } from '@millhand/process'
import type { Collection, OutboxEvent, Query } from '@millhand/store'
import { PendingWrites, type Urgency } from './pending-writes.ts'
import { isRefusal, type StateMachine, type Work } from './work.ts'

export type ChangeResult<T> =
  | { readonly kind: 'changed'; readonly before: T; readonly after: T }
  | { readonly kind: 'refused'; readonly reason: string; readonly current: T }
  | { readonly kind: 'missing' }

export interface WorkStore<T extends Work, C> {
  /** The work as it is in the store, with all that was decided before the call. */
  get(tenant: string, id: string): Promise<T | undefined>
  /**
   * The work as last decided, where that decision is not being written yet; else undefined. Not durable: only for callers in
   * this process.
   */
  resting(tenant: string, id: string): T | undefined
  find(index: 'ready' | 'due' | 'primary', query: Query): Promise<T[]>
  /** How much work of a tenant waits in a pool, or of all where none is named; at most `limit`. */
  countWaiting(pool: string, tenant: string | undefined, limit: number): Promise<number>
  /**
   * Stores new work, version 1, with its events; false when the id is taken. Work that rests may be begun at once, and
   * becomes durable within 250 ms or together with its next change.
   */
  insert(work: T, events: readonly OutboxEvent[], urgency?: Urgency): Promise<boolean>
  /** Applies the cause to the work as it is now; again, when another change came between. */
  change(tenant: string, id: string, cause: C): Promise<ChangeResult<T>>
  /**
   * The same, for a cause on which nobody outside this process acts: answers as soon as it is decided, while the store
   * keeps up. It becomes durable within 30 ms, where the work itself is not yet within 250 ms, or together with the next
   * change. `onDoubt` hears where that fails.
   */
  decide(tenant: string, id: string, cause: C): Promise<ChangeResult<T>>
  /** Removes the work where it still has this version. */
  remove(work: T): Promise<boolean>
  /** Has the store write what rests. */
  flush(): void
}

interface WorkStoreDeps<T extends Work, C> {
  readonly collection: Collection<T, 'ready' | 'due'>
  readonly machine: StateMachine<T, C>
  readonly clock: Clock
  /**
   * Hears of every change after it is durable, in the order of the versions that this store wrote; once of those that
   * were written together.
   */
  readonly onChanged: (before: T | undefined, after: T) => void
  /** Hears of what rests as soon as it is decided; `onChanged` hears of it as well. */
  readonly onDecided?: (before: T | undefined, after: T) => void
  /**
   * Hears of work that may be in the store otherwise than `onChanged` was told, and has to be read again. `wasDecided`: whether
   * `onDecided` was told of it.
   */
  readonly onDoubt?: (work: T, wasDecided: boolean) => void
}

export function createWorkStore<T extends Work, C>(deps: WorkStoreDeps<T, C>): WorkStore<T, C> {
  const { collection, machine, clock, onDecided, onDoubt } = deps
  const cache = new WorkCache<T>()
  const writes = new PendingWrites<T>({
    write: change => collection.write(change),
    onDurable(before, after) {
      cache.written(after)
      deps.onChanged(before, after)
    },
    onVoid: (latest, hasRested) => onDoubt?.(latest, hasRested),
  })

  /** `written` is of the write that the change is in. Where something is decided nothing else was decided meanwhile. */
  async function apply(tenant: string, id: string, cause: C, urgency: Urgency) {
    for (;;) {
      const known = writes.latest(tenant, id) ?? cache.take(tenant, id)
      const before = known ?? (await collection.get(tenant, id))
      if (!known && writes.latest(tenant, id)) continue
      if (!before) return { result: { kind: 'missing' } as const }
      const now = clock.now()
      const after = machine.transition(before, cause, now)
      if (isRefusal(after)) {
        if (!known) return { result: { kind: 'refused', reason: after.refused, current: before } as const }
        // Another store may have changed it since, and what is pending may come to nothing: what is there then decides.
        await writes.settle(tenant, id)
        continue
      }
      // The transition made this object for us: numbering it in place saves a copy of every field.
      Object.assign(after, { version: before.version + 1 })
      const written = writes.add(before, after, machine.events(before, after, now), urgency)
      return { result: { kind: 'changed', before, after } as const, written }
    }
  }

  async function change(tenant: string, id: string, cause: C): Promise<ChangeResult<T>> {
    for (;;) {
      const { result, written } = await apply(tenant, id, cause, 'now')
      if (written === undefined || (await written)) return result
    }
  }

  return {
    async get(tenant, id) {
      const decided = writes.latest(tenant, id) && (await writes.settle(tenant, id))
      return decided ?? (await collection.get(tenant, id))
    },

    resting: (tenant, id) => writes.resting(tenant, id),

    async find(index, query) {
      if (index === 'primary') return await collection.find(index, query)
      const pending = writes.snapshot()
      const found = await collection.find(index, query)
      for (const work of found) cache.read(work)
      return pending === undefined ? found : found.map(work => writes.newest(work, pending))
    },

    countWaiting: (pool, tenant, limit) =>
      collection.count('ready', { equals: tenant === undefined ? [pool] : [pool, tenant] }, limit),

    async insert(work, events, urgency = 'now') {
      const { tenant, id } = work
      while (writes.latest(tenant, id) !== undefined) if (await writes.settle(tenant, id)) return false
      const rests = urgency === 'rests' && writes.keepsUp
      const written = writes.add(undefined, work, events, rests ? 'rests' : 'now')
      if (rests) onDecided?.(undefined, work)
      return await written
    },

    change,

    async decide(tenant, id, cause) {
      if (!writes.keepsUp) return await change(tenant, id, cause)
      const { result } = await apply(tenant, id, cause, 'rests')
      if (result.kind === 'changed') onDecided?.(result.before, result.after)
      return result
    },

    async remove({ tenant, id, version }) {
      await writes.settle(tenant, id)
      const result = await collection.write({ kind: 'remove', version, tenant, id, events: [] })
      return result.kind === 'written'
    },

    flush: () => writes.flush(),
  }
}

/**
 * Work as this process left or found it, so that its claim and its end need not read it again. It may be stale: the
 * compare-and-set finds out, and since it is taken out here, the next try reads the collection. Of what waits the latest
 * are kept, which are soon claimed: a long backlog in memory costs the garbage collector more than reading it once.
 */
export class WorkCache<T extends Work> {
  readonly #held = new BoundedMap<T>(10_000)
  readonly #waiting = new BoundedMap<T>(500)

  /** As it was written: that replaces what was known before. */
  written(work: T): void {
    this.#held.drop(work.id)
    this.#waiting.drop(work.id)
    if (work.lease_id !== '') this.#held.put(work)
    else if (work.status === 'queued') this.#waiting.put(work)
  }

  /** As it was read, to be claimed or ended soon. */
  read(work: T): void {
    if (!this.#held.has(work.id)) this.#waiting.put(work)
  }

  take(tenant: string, id: string): T | undefined {
    return this.#held.take(tenant, id) ?? this.#waiting.take(tenant, id)
  }
}

class BoundedMap<T extends Work> {
  /** In boxes that are emptied: a map that grows and shrinks leaves tables behind that keep alive what was in them. */
  readonly #work = new Map<string, { work: T | undefined }>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  has(id: string): boolean {
    return this.#work.has(id)
  }

  put(work: T): void {
    this.drop(work.id)
    this.#work.set(work.id, { work })
    if (this.#work.size > this.#most) this.drop(this.#work.keys().next().value as string)
  }

  take(tenant: string, id: string): T | undefined {
    const work = this.#work.get(id)?.work
    if (work?.tenant !== tenant) return undefined
    this.drop(id)
    return work
  }

  drop(id: string): void {
    const box = this.#work.get(id)
    if (box) box.work = undefined
    this.#work.delete(id)
  }
}
