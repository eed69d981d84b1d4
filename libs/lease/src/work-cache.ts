/**
 * Work as this process left or found it, so that its claim and its end need not read it again. It may be stale: the
 * compare-and-set finds out, and since it is taken out here, the next try reads the collection. Of what waits the latest
 * are kept, which are soon claimed: a long backlog in memory costs the garbage collector more than reading it once.
 */
import type { Work } from './work.ts'

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
