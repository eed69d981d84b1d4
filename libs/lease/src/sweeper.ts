/** The sweeper of a pool: reads leases and work from the store again and again, and ends what has expired. */
import { everyInterval } from '@millhand/process'
import type { Leases } from './held-leases.ts'
import type { Deadline } from './lease-timers.ts'
import type { PoolOptions } from './pool-options.ts'
import { DueWork } from './queue-expiry.ts'
import type { Refiller } from './refiller.ts'
import { changeOf, FailedChange, settleAll } from './settle-all.ts'
import { countedWork } from './stored-work.ts'
import type { Work } from './work.ts'

const sweepEveryMs = 500
/** How soon the store is asked again for what nobody told of, though nothing was in doubt. */
const resyncEveryMs = 30_000
/** The same where all of its flows are read as well. */
const resyncAndFillEveryMs = 120_000
/** How soon it is asked where an owner of before may still claim or give back: a stall is over, or its last write lands. */
const resyncSoonMs = 5_000
/** With more in doubt than this all that waits is read instead, in pages. */
const mostDoubtful = 1_000
/** How many documents are changed in one go. */
const changeAtOnce = 500

type SweeperOptions<T extends Work, C> = Pick<
  PoolOptions<T, C>,
  'name' | 'work' | 'clock' | 'ownerClaims' | 'onManyInDoubt' | 'onError'
> & {
  readonly leases: Leases<T>
  readonly refiller: Refiller<T>
  /** Ends a lease or a backoff. */
  readonly end: (deadline: Deadline) => Promise<void>
  /** Takes what was in doubt, as it is in the store. */
  readonly heard: (work: T) => void
  /** All leases of the store are known. */
  readonly onSynced: () => void
}

export class Sweeper<T extends Work, C> {
  readonly #options: SweeperOptions<T, C>
  readonly #due: DueWork<T, C>
  /** What may be in the store otherwise than was heard, by its id: the tenants. */
  readonly #doubtful = new Map<string, string>()
  /** When the store is asked for leases and backoffs, by the monotonic clock: 0 is at once. */
  #resyncAt = 0
  #isFilled = false
  #hasSynced = false
  #isManyInDoubt = false

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

  /** Another owner has work that it may leave without telling anybody. */
  requestResyncSoon(): void {
    this.#resyncAt = Math.min(this.#resyncAt, this.#options.clock.monotonic() + resyncSoonMs)
  }

  /** It is read again, at the next sweep. */
  doubt(tenant: string, id: string): void {
    this.#doubtful.set(id, tenant)
    if (this.#doubtful.size <= mostDoubtful) return
    this.#doubtful.clear()
    this.#resyncAt = 0
    this.#isFilled = false
    this.#isManyInDoubt = true
  }

  /** Fills the queue, then goes on until the signal ends. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, refiller, ownerClaims, onError, leases } = this.#options
    this.#isFilled = false
    this.#hasSynced = false
    this.#resyncAt = 0
    this.#doubtful.clear()
    this.#isManyInDoubt = false
    await everyInterval(clock, sweepEveryMs, signal, async () => {
      try {
        const isTime = clock.monotonic() >= this.#resyncAt
        await this.#readDoubtful()
        if (isTime) await this.#resync()
        if (!this.#isFilled || (isTime && ownerClaims)) await this.#fill()
        this.#tellOfMany()
        void refiller.refill()
        await this.#sweep(signal)
      } catch (error) {
        this.#resyncAt = 0
        if (error instanceof FailedChange) onError(error.reason, error.work)
        else onError(error)
      }
    })
    leases.clear()
  }

  /** What comes into doubt meanwhile may ask for another. */
  async #fill(): Promise<void> {
    this.#isFilled = true
    try {
      await this.#options.refiller.fill()
    } catch (error) {
      this.#isFilled = false
      throw error
    }
  }

  async #readDoubtful(): Promise<void> {
    const { work, heard } = this.#options
    for (const [id, tenant] of [...this.#doubtful]) {
      this.#doubtful.delete(id) // Before: it may come into doubt again while it is read.
      const there = await work.get(tenant, id).catch(error => {
        this.#doubtful.set(id, tenant)
        throw error
      })
      if (there) heard(there)
    }
  }

  /** Only once the store answers again: whoever hears of it asks there. */
  #tellOfMany(): void {
    if (!this.#isManyInDoubt) return
    this.#isManyInDoubt = false
    this.#options.onManyInDoubt?.()
  }

  /** Learns of every lease and backoff in the store. */
  async #resync(): Promise<void> {
    const { name, work, clock, ownerClaims, leases, onSynced } = this.#options
    this.#resyncAt = clock.monotonic() + (ownerClaims ? resyncAndFillEveryMs : resyncEveryMs)
    for await (const page of countedWork(work, name)) for (const one of page) leases.observe(one)
    leases.markSynced()
    if (ownerClaims && !this.#hasSynced) this.requestResyncSoon()
    this.#hasSynced = true
    onSynced()
  }

  /** Ends leases and backoffs whose time is over, and what has waited in the queue for too long; fails after all. */
  async #sweep(signal: AbortSignal): Promise<void> {
    const { leases, end } = this.#options
    const failures: unknown[] = []
    const ended = await leases.ended(signal)
    for (let done = 0; done < ended.length && !signal.aborted; done += changeAtOnce) {
      const changes = ended.slice(done, done + changeAtOnce).map(deadline => changeOf(deadline, end(deadline)))
      await settleAll(changes, failures)
    }
    await this.#due.sweep(signal, failures)
    if (failures.length > 0) throw failures[0]
  }
}
