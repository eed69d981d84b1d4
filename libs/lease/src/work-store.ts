/** The one way in which work changes: a pure transition, then a compare-and-set together with its events. */
import type { Clock } from '@millhand/process'
import type { Collection, OutboxEvent, Query } from '@millhand/store'
import { isRefusal, type StateMachine, type Work } from './work.ts'

export type ChangeResult<T> =
  | { readonly kind: 'changed'; readonly before: T; readonly after: T }
  | { readonly kind: 'refused'; readonly reason: string; readonly current: T }
  | { readonly kind: 'missing' }

export interface WorkStore<T extends Work, C> {
  get(tenant: string, id: string): Promise<T | undefined>
  find(index: 'ready' | 'due' | 'primary', query: Query): Promise<T[]>
  /** How much work of a tenant waits in a pool, at most `limit`. */
  countWaiting(pool: string, tenant: string, limit: number): Promise<number>
  /** Stores new work, version 1, with its events; false when the id is taken. */
  insert(work: T, events: readonly OutboxEvent[]): Promise<boolean>
  /** Applies the cause to the work as it is now; again, when another change came between. */
  change(tenant: string, id: string, cause: C): Promise<ChangeResult<T>>
  /** Removes the work where it still has this version. */
  remove(work: T): Promise<boolean>
}

export function createWorkStore<T extends Work, C>(deps: {
  collection: Collection<T, 'ready' | 'due'>
  machine: StateMachine<T, C>
  clock: Clock
  /** Hears of every change after it is durable, in the order of the versions that this store wrote. */
  onChanged: (before: T | undefined, after: T) => void
}): WorkStore<T, C> {
  const { collection, machine, clock } = deps
  const cache = new WorkCache<T>()
  const onChanged = (before: T | undefined, after: T) => {
    cache.written(after)
    deps.onChanged(before, after)
  }

  return {
    get: (tenant, id) => collection.get(tenant, id),

    async find(index, query) {
      const found = await collection.find(index, query)
      if (index !== 'primary') for (const work of found) cache.read(work)
      return found
    },

    countWaiting: (pool, tenant, limit) => collection.count('ready', { equals: [pool, tenant] }, limit),

    async insert(work, events) {
      const result = await collection.write({ kind: 'insert', document: work, events })
      if (result.kind === 'conflict') return false
      onChanged(undefined, work)
      return true
    },

    async change(tenant, id, cause) {
      for (;;) {
        const known = cache.take(tenant, id)
        const before = known ?? (await collection.get(tenant, id))
        if (!before) return { kind: 'missing' }
        const now = clock.now()
        const after = machine.transition(before, cause, now)
        if (isRefusal(after)) {
          if (known) continue // Another store may have changed it since: what is there now decides.
          return { kind: 'refused', reason: after.refused, current: before }
        }
        const events = machine.events(before, after, now)
        const result = await collection.write({ kind: 'replace', version: before.version, document: after, events })
        if (result.kind === 'conflict') continue
        // The transition made this object for us: numbering it in place saves a copy of every field.
        Object.assign(after, { version: result.version })
        onChanged(before, after)
        return { kind: 'changed', before, after }
      }
    },

    async remove(work) {
      const result = await collection.write({
        kind: 'remove',
        version: work.version,
        tenant: work.tenant,
        id: work.id,
        events: [],
      })
      return result.kind === 'written'
    },
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

  /** As it was written. */
  written(work: T): void {
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
    this.#drop(work.id)
    this.#work.set(work.id, { work })
    if (this.#work.size > this.#most) this.#drop(this.#work.keys().next().value as string)
  }

  take(tenant: string, id: string): T | undefined {
    const work = this.#work.get(id)?.work
    if (work?.tenant !== tenant) return undefined
    this.#drop(id)
    return work
  }

  #drop(id: string): void {
    const box = this.#work.get(id)
    if (box) box.work = undefined
    this.#work.delete(id)
  }
}
