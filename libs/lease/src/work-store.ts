/** The one way in which work changes: a pure transition, then a compare-and-set together with its events. */
import type { Clock } from '@millhand/runner'
import type { Collection, OutboxEvent, Query } from '@millhand/store'
import { isRefusal, type Machine, type Refusal, type Work } from './work.ts'

export type Changed<T> =
  | { readonly kind: 'changed'; readonly before: T; readonly after: T }
  | { readonly kind: 'refused'; readonly reason: Refusal['refused']; readonly current: T }
  | { readonly kind: 'missing' }

export interface WorkStore<T extends Work, C> {
  get(tenant: string, id: string): Promise<T | undefined>
  find(index: 'ready' | 'due' | 'primary', query: Query): Promise<T[]>
  /** Stores new work, version 1, with its events; false when the id is taken. */
  insert(work: T, events: readonly OutboxEvent[]): Promise<boolean>
  /** Applies the cause to the work as it is now; again, when another change came between. */
  change(tenant: string, id: string, cause: C): Promise<Changed<T>>
  /** Removes the work where it still has this version. */
  remove(work: T): Promise<boolean>
}

export function createWorkStore<T extends Work, C>(deps: {
  collection: Collection<T, 'ready' | 'due'>
  machine: Machine<T, C>
  clock: Clock
  /** Hears of every change after it is durable, in the order of the versions that this store wrote. */
  onChanged: (before: T | undefined, after: T) => void
}): WorkStore<T, C> {
  const { collection, machine, clock } = deps
  const claimed = new LastClaimed<T>()
  const onChanged = (before: T | undefined, after: T) => {
    claimed.keep(after)
    deps.onChanged(before, after)
  }

  return {
    get: (tenant, id) => collection.get(tenant, id),
    find: (index, query) => collection.find(index, query),

    async insert(work, events) {
      const result = await collection.write({ kind: 'insert', document: work, events })
      if (result.kind === 'conflict') return false
      onChanged(undefined, work)
      return true
    },

    async change(tenant, id, cause) {
      for (;;) {
        const known = claimed.take(tenant, id)
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
 * Work as this store claimed it, so that its end need not read it again. It may be stale: the compare-and-set finds out,
 * and since it is taken out here, the next try reads the collection. Work that waits is left out: a backlog that is
 * kept alive costs the garbage collector more than reading it once.
 */
class LastClaimed<T extends Work> {
  readonly #work = new Map<string, T>()

  keep(work: T): void {
    if (work.lease_id === '') return
    this.#work.set(work.id, work)
    if (this.#work.size > 10_000) this.#work.delete(this.#work.keys().next().value as string)
  }

  take(tenant: string, id: string): T | undefined {
    const work = this.#work.get(id)
    if (work?.tenant !== tenant) return undefined
    this.#work.delete(id)
    return work
  }
}
