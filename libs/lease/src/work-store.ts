/** The one way in which work changes: a pure transition, then a compare-and-set together with its events. */
import type { Clock } from '@millhand/runner'
import type { Collection, Draft, OutboxEvent, Query } from '@millhand/store'
import { isRefusal, type Machine, type Refusal, type Work } from './work.ts'

export type Changed<T> =
  | { readonly kind: 'changed'; readonly before: T; readonly after: T }
  | { readonly kind: 'refused'; readonly reason: Refusal['refused']; readonly current: T }
  | { readonly kind: 'missing' }

export interface WorkStore<T extends Work, C> {
  get(tenant: string, id: string): Promise<T | undefined>
  find(index: 'ready' | 'due' | 'primary', query: Query): Promise<T[]>
  /** Stores new work with its events; undefined when the id is taken. */
  insert(work: Draft<T>, events: readonly OutboxEvent[]): Promise<T | undefined>
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
  const latest = new LatestWritten<T>()
  const onChanged = (before: T | undefined, after: T) => {
    latest.keep(after)
    deps.onChanged(before, after)
  }

  return {
    get: (tenant, id) => collection.get(tenant, id),
    find: (index, query) => collection.find(index, query),

    async insert(work, events) {
      const result = await collection.write({ kind: 'insert', document: work, events })
      if (result.kind === 'conflict') return undefined
      const stored = numbered<T>(work, result.version)
      onChanged(undefined, stored)
      return stored
    },

    async change(tenant, id, cause) {
      for (;;) {
        const before = latest.take(tenant, id) ?? (await collection.get(tenant, id))
        if (!before) return { kind: 'missing' }
        const now = clock.now()
        const after = machine.transition(before, cause, now)
        if (isRefusal(after)) return { kind: 'refused', reason: after.refused, current: before }
        const events = machine.events(before, after, now)
        const result = await collection.write({ kind: 'replace', version: before.version, document: after, events })
        if (result.kind === 'conflict') continue
        const stored = numbered<T>(after, result.version)
        onChanged(before, stored)
        return { kind: 'changed', before, after: stored }
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
 * What this store wrote last of work that is alive, so that claim and finish need not read it again. It may be stale:
 * the compare-and-set finds out, and since it is taken out here, the next try reads the collection.
 */
class LatestWritten<T extends Work> {
  readonly #work = new Map<string, T>()

  keep(work: T): void {
    if (work.lease_id === '' && work.status !== 'queued') return
    this.#work.set(work.id, work)
    if (this.#work.size > 20_000) this.#work.delete(this.#work.keys().next().value as string)
  }

  take(tenant: string, id: string): T | undefined {
    const work = this.#work.get(id)
    if (work?.tenant !== tenant) return undefined
    this.#work.delete(id)
    return work
  }
}

const numbered = <T extends Work>(document: Draft<T>, version: number): T => ({ ...document, version }) as unknown as T
