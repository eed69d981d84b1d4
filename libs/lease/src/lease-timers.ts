/**
 * What the owner of a pool counts by its own monotonic clock: how long leases hold and retries wait. No time of day is
 * compared, so a step of the clock, here or on another machine, ends nothing early and nothing late.
 *
 * It is memory. Who takes a pool over counts each from when it learns of it: what an executor was promised before was
 * promised earlier, so it ends earlier.
 */
import type { Clock } from '@millhand/process'
import { Counters } from './counters.ts'
import type { FencingToken, LeaseCause, Work } from './work.ts'

/** How long a lease lasts, from its claim and from each renewal, in milliseconds. */
export const leaseMs = 10_000

/** One lease, or one backoff. */
export interface Deadline extends FencingToken {
  readonly tenant: string
  readonly id: string
  readonly flow: string
  readonly cause: Extract<LeaseCause, { kind: 'lease_ended' | 'backoff_ended' }>
  /** Of the work. */
  readonly traceparent: string | undefined
}

interface Entry extends Deadline {
  /** Of the work as it was last heard of: what is older says nothing. */
  version: number
  /** By the monotonic clock. */
  endsAt: number
}

export interface DeadlinesOptions<T extends Work> {
  readonly clock: Clock
  /** How long a lease lasts that nobody renews, in milliseconds. */
  readonly leaseMs: number
  /** Whose leases are counted together. */
  readonly flowOf: (work: T) => string
}

export class Deadlines<T extends Work> {
  readonly #options: DeadlinesOptions<T>
  readonly #entries = new Map<string, Entry>()
  readonly #leases = new Counters()

  constructor(options: DeadlinesOptions<T>) {
    this.#options = options
  }

  /** Work as it is in the store, or was a moment ago. A lease or backoff that is not known yet is counted from now. */
  observe(work: T): void {
    const known = this.#entries.get(work.id)
    if (known && known.version > work.version) return
    const ms = this.#lengthOf(work)
    if (ms === undefined) this.#delete(known)
    else if (known && isOf(known, work)) known.version = work.version
    else {
      this.#delete(known)
      this.#add(entryOf(work, this.#options.flowOf(work), this.#options.clock.monotonic() + ms))
    }
  }

  /** How many leases on a flow's work are known. */
  leasesOf(flow: string): number {
    return this.#leases.of(flow)
  }

  /** Lets a lease last from `askedAt`, by the monotonic clock; false where it is not the live one, or is over. */
  renew(work: T, askedAt: number): boolean {
    this.observe(work)
    const known = this.#entries.get(work.id)
    if (!known || !isOf(known, work) || known.endsAt <= this.#options.clock.monotonic()) return false
    known.endsAt = Math.max(known.endsAt, askedAt + this.#options.leaseMs)
    return true
  }

  /**
   * What has ended; nothing where the signal has. It stays until it is heard of again, or forgotten: the store may not
   * be there to be told.
   */
  async ended(signal: AbortSignal): Promise<Deadline[]> {
    const { clock } = this.#options
    const now = clock.monotonic()
    // A process that stood still may have lost the pool. Timers that were due before now fire before this one, so
    // the signal has ended then.
    await clock.sleep(0, signal).catch(() => {})
    if (signal.aborted) return []
    return [...this.#entries.values()].filter(entry => entry.endsAt <= now)
  }

  forget(deadline: Deadline): void {
    const known = this.#entries.get(deadline.id)
    if (known === deadline) this.#delete(known)
  }

  /** Knows no more of this work, whose flow it returns. */
  drop(id: string): string | undefined {
    const known = this.#entries.get(id)
    this.#delete(known)
    return known?.flow
  }

  clear(): void {
    this.#entries.clear()
    this.#leases.clear()
  }

  #lengthOf(work: Work): number | undefined {
    if (work.lease_id !== '') return this.#options.leaseMs
    return work.backoff_ms > 0 ? work.backoff_ms : undefined
  }

  #add(entry: Entry): void {
    this.#entries.set(entry.id, entry)
    if (entry.lease_id !== '') this.#leases.add(entry.flow, 1)
  }

  #delete(entry: Entry | undefined): void {
    if (!entry) return
    this.#entries.delete(entry.id)
    if (entry.lease_id !== '') this.#leases.add(entry.flow, -1)
  }
}

const isOf = (known: FencingToken, work: Work) => known.lease_id === work.lease_id && known.attempt === work.attempt

function entryOf({ tenant, id, version, lease_id, attempt, traceparent }: Work, flow: string, endsAt: number): Entry {
  const cause: Deadline['cause'] =
    lease_id === '' ? { kind: 'backoff_ended' } : { kind: 'lease_ended', held: { lease_id, attempt } }
  return { tenant, id, flow, version, lease_id, attempt, cause, traceparent, endsAt }
}
