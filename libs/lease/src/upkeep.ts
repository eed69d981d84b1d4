/** What a pool does again and again: it learns from the store of leases and of work, and ends what is over. */
import { everyInterval } from '@millhand/runner'
import type { Deadline } from './deadlines.ts'
import { DueWork } from './due-work.ts'
import type { Filling } from './filling.ts'
import { fulfilled } from './fulfilled.ts'
import type { Leases } from './leases.ts'
import type { PoolOptions } from './pool-options.ts'
import { countedWork } from './stored-work.ts'
import type { Work } from './work.ts'

const sweepEveryMs = 500
/** How soon the store is asked again for what nobody told of, though nothing was in doubt. */
const lookEveryMs = 30_000
/** The same where all of its lines are read as well. */
const lookAndFillEveryMs = 120_000
/** How many documents are changed in one go. */
const changeAtOnce = 500

type UpkeepOptions<T extends Work, C> = Pick<
  PoolOptions<T, C>,
  'name' | 'work' | 'clock' | 'ownerClaims' | 'onError'
> & {
  readonly leases: Leases<T>
  readonly filling: Filling<T>
  /** Ends a lease or a backoff. */
  readonly end: (deadline: Deadline) => Promise<void>
  /** All leases of the store are known. */
  readonly onLooked: () => void
}

export class Upkeep<T extends Work, C> {
  readonly #options: UpkeepOptions<T, C>
  readonly #due: DueWork<T, C>
  /** When the store is asked for leases and backoffs, by the monotonic clock: 0 is at once. */
  #lookAt = 0

  constructor(options: UpkeepOptions<T, C>) {
    this.#options = options
    this.#due = new DueWork(options)
  }

  /** Work as it is in the store, or was a moment ago. */
  heard(work: T): void {
    this.#options.leases.heard(work)
    this.#due.heard(work)
  }

  /** Nobody knows what came of a change: the store is to tell. */
  doubt(): void {
    this.#lookAt = 0
  }

  /** Fills the queue, then goes on until the signal ends. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, filling, ownerClaims, onError, leases } = this.#options
    let filled = false
    this.#lookAt = 0
    await everyInterval(clock, sweepEveryMs, signal, async () => {
      try {
        const isTime = clock.monotonic() >= this.#lookAt
        if (isTime) await this.#look()
        if (!filled || (isTime && ownerClaims)) await filling.fill()
        filled = true
        void filling.refill()
        await this.#sweep(signal)
      } catch (error) {
        this.#lookAt = 0
        onError(error)
      }
    })
    leases.clear()
  }

  /** Learns of every lease and backoff in the store. */
  async #look(): Promise<void> {
    const { name, work, clock, ownerClaims, leases, onLooked } = this.#options
    this.#lookAt = clock.monotonic() + (ownerClaims ? lookAndFillEveryMs : lookEveryMs)
    for await (const page of countedWork(work, name)) for (const one of page) leases.heard(one)
    leases.looked()
    onLooked()
  }

  /** Ends leases and backoffs whose time is over, and what has waited in the queue for too long; fails after all. */
  async #sweep(signal: AbortSignal): Promise<void> {
    const { leases, end } = this.#options
    const failures: unknown[] = []
    const ended = await leases.ended(signal)
    for (let done = 0; done < ended.length && !signal.aborted; done += changeAtOnce)
      await fulfilled(ended.slice(done, done + changeAtOnce).map(end), failures)
    await this.#due.sweep(signal, failures)
    if (failures.length > 0) throw failures[0]
  }
}
