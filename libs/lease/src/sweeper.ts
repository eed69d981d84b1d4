/** The sweeper of a pool: reads leases and work from the store again and again, and ends what has expired. */
import type { Clock } from '@millhand/process'
import { everyInterval } from '@millhand/process'
import type { Deadline } from './deadlines.ts'
import type { Leases } from './leases.ts'
import type { PoolOptions } from './pool-options.ts'
import type { Refiller } from './refiller.ts'
import { settleAll } from './settle-all.ts'
import { countedWork } from './stored-work.ts'
import type { LeaseCause, Work } from './work.ts'
import { countedByOwner, noDueTime } from './work.ts'
import type { WorkStore } from './work-store.ts'

const sweepEveryMs = 500
/** How soon the store is asked again for what nobody told of, though nothing was in doubt. */
const resyncEveryMs = 30_000
/** The same where all of its flows are read as well. */
const resyncAndFillEveryMs = 120_000
/** How many documents are changed in one go. */
const changeAtOnce = 500

type SweeperOptions<T extends Work, C> = Pick<
  PoolOptions<T, C>,
  'name' | 'work' | 'clock' | 'ownerClaims' | 'onError'
> & {
  readonly leases: Leases<T>
  readonly refiller: Refiller<T>
  /** Ends a lease or a backoff. */
  readonly end: (deadline: Deadline) => Promise<void>
  /** All leases of the store are known. */
  readonly onSynced: () => void
}

export class Sweeper<T extends Work, C> {
  readonly #options: SweeperOptions<T, C>
  readonly #due: DueWork<T, C>
  /** When the store is asked for leases and backoffs, by the monotonic clock: 0 is at once. */
  #resyncAt = 0

  constructor(options: SweeperOptions<T, C>) {
    this.#options = options
    this.#due = new DueWork(options)
  }

  /** Work as it is in the store, or was a moment ago. */
  observe(work: T): void {
    this.#options.leases.observe(work)
    this.#due.observe(work)
  }

  /** The result of a change is unknown: the store is read again at the next sweep. */
  requestResync(): void {
    this.#resyncAt = 0
  }

  /** Fills the queue, then goes on until the signal ends. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, refiller, ownerClaims, onError, leases } = this.#options
    let filled = false
    this.#resyncAt = 0
    await everyInterval(clock, sweepEveryMs, signal, async () => {
      try {
        const isTime = clock.monotonic() >= this.#resyncAt
        if (isTime) await this.#resync()
        if (!filled || (isTime && ownerClaims)) await refiller.fill()
        filled = true
        void refiller.refill()
        await this.#sweep(signal)
      } catch (error) {
        this.#resyncAt = 0
        onError(error)
      }
    })
    leases.clear()
  }

  /** Learns of every lease and backoff in the store. */
  async #resync(): Promise<void> {
    const { name, work, clock, ownerClaims, leases, onSynced } = this.#options
    this.#resyncAt = clock.monotonic() + (ownerClaims ? resyncAndFillEveryMs : resyncEveryMs)
    for await (const page of countedWork(work, name)) for (const one of page) leases.observe(one)
    leases.markSynced()
    onSynced()
  }

  /** Ends leases and backoffs whose time is over, and what has waited in the queue for too long; fails after all. */
  async #sweep(signal: AbortSignal): Promise<void> {
    const { leases, end } = this.#options
    const failures: unknown[] = []
    const ended = await leases.ended(signal)
    for (let done = 0; done < ended.length && !signal.aborted; done += changeAtOnce)
      await settleAll(ended.slice(done, done + changeAtOnce).map(end), failures)
    await this.#due.sweep(signal, failures)
    if (failures.length > 0) throw failures[0]
  }
}

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
class DueWork<T extends Work, C> {
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
      const changes = due.map(one => work.change(one.tenant, one.id, { kind: 'due' }))
      const results = await settleAll(changes, failures)
      if (due.length < AT_ONCE || !results.some(result => result.kind === 'changed')) break
    }
    if (!isTime) return
    const [next] = await work.find('due', { equals: [name], after: [clock.now()], limit: 1 })
    if (next) this.observe(next)
  }
}
