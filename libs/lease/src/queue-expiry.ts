/** Ends work that has waited in the queue for too long: its `due_at` has passed. */
import type { Clock } from '@millhand/process'
import { changeOf, settleAll } from './settle-all.ts'
import type { LeaseCause, Work } from './work.ts'
import { countedByOwner, noDueTime } from './work.ts'
import type { WorkStore } from './work-store.ts'

/** How soon the store is asked for what another replica has made: an empty answer, most of the time. */
const ASK_EVERY_MS = 1_000
/** How many documents are changed in one go. */
const AT_ONCE = 500

interface DueWorkOptions<T extends Work, C> {
  readonly name: string
  readonly work: WorkStore<T, C | LeaseCause>
  readonly clock: Clock
}

/** Work that falls due by a time of day: found at its time if it was heard of, else within a second. */
export class DueWork<T extends Work, C> {
  readonly #options: DueWorkOptions<T, C>
  /** The first time of day that it knows of, in milliseconds since 1970: in the beginning the store is asked. */
  #next = 0
  /** When the store is asked in any case, by the monotonic clock. */
  #askAt = 0

  constructor(options: DueWorkOptions<T, C>) {
    this.#options = options
  }

  observe({ due_at }: T): void {
    if (due_at > countedByOwner && due_at < this.#next) this.#next = due_at
  }

  /** Tells what is due that it is; why any of it failed is added to `failures`. */
  async sweep(signal: AbortSignal, failures: unknown[]): Promise<void> {
    const { name, work, clock } = this.#options
    const isTime = clock.now() >= this.#next
    if (!isTime && clock.monotonic() < this.#askAt) return
    this.#askAt = clock.monotonic() + ASK_EVERY_MS
    if (isTime) this.#next = noDueTime
    while (!signal.aborted) {
      const before = [clock.now() + 1]
      const due = await work.find('due', { equals: [name], after: [countedByOwner], before, limit: AT_ONCE })
      const changes = due.map(one => changeOf(one, work.change(one.tenant, one.id, { kind: 'due' })))
      const results = await settleAll(changes, failures)
      if (due.length < AT_ONCE || !results.some(result => result.kind === 'changed')) break
    }
    if (!isTime) return
    const [next] = await work.find('due', { equals: [name], after: [clock.now()], limit: 1 })
    if (next) this.observe(next)
  }
}
