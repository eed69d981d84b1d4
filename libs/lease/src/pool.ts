/**
 * One pool of leased work: who may claim what, for how long, and what becomes of it when its holder is gone. The ready
 * queue is memory and can be rebuilt from the store at any time; a claim is a compare-and-set on the work itself, so
 * two owners of one pool for a moment are harmless.
 */
import { everyInterval } from '@millhand/runner'
import { type Deadline, Deadlines, leaseMs } from './deadlines.ts'
import { fulfilled } from './fulfilled.ts'
import { Holding } from './holding.ts'
import type { PoolOptions } from './pool-options.ts'
import { type Ready, ReadyQueue, type Refill } from './ready-queue.ts'
import { countedWork, type Lines, readyOfRank, readyWork, tenants } from './stored-work.ts'
import { WaitingClaims } from './waiting-claims.ts'
import { countedByOwner, type Held, type LeaseCause, type Outcome, type RunReport, type Work } from './work.ts'
import type { Changed } from './work-store.ts'

const sweepEveryMs = 500
/** How soon the store is asked again: for what nobody told of. */
const lookEveryMs = 30_000
/** How many documents are changed in one go. */
const changeAtOnce = 500

export interface Claimed<T> {
  readonly group: string
  readonly work: readonly T[]
}

export interface ClaimAnswer<T> {
  readonly runs: readonly Claimed<T>[]
  /** How long the claim had waited when the leases of its runs began. */
  readonly waitedMs: number
}

export interface ClaimRequest {
  readonly executorId: string
  readonly runs: number
  readonly busy: ReadonlySet<string>
  readonly waitMs: number
}

/** What becomes of a lease that was to be renewed: what is `cancel` lasts on, and is to be stopped. */
export type Verdict = 'kept' | 'cancel' | 'lost'

export class Pool<T extends Work, C> {
  readonly #options: PoolOptions<T, C>
  #queue: ReadyQueue
  readonly #waiting: WaitingClaims
  readonly #deadlines: Deadlines<T>
  readonly #lines: Lines<T>
  readonly #window: number
  /** What is being claimed; where the owner claims for itself, until it is settled. */
  readonly #holding = new Holding()
  #isRunning = false
  /** Whether the leases of before are known: until then nobody knows how much of a line's work runs. */
  #hasLooked = false
  /** When the store is asked for leases and backoffs, by the monotonic clock: 0 is at once. */
  #lookAt = 0

  constructor(options: PoolOptions<T, C>) {
    this.#options = options
    const { clock, lines = tenants, window = 2_000, ownerClaims } = options
    this.#lines = lines
    this.#window = window
    this.#queue = this.#emptyQueue()
    this.#waiting = new WaitingClaims(clock)
    this.#deadlines = new Deadlines({ clock, lineOf: lines.of, leaseMs: ownerClaims ? 0 : leaseMs })
  }

  /** Hears of every durable change of the pool's work. `before`: what it was, where that is known. */
  changed(before: T | undefined, after: T): void {
    if (!this.#isRunning) return
    this.#heard(after)
    if (after.lease_id === '') this.mayRunMore(this.#lines.of(after))
    if (after.status === 'queued') {
      if (after.backoff_ms === 0) this.#offer(after)
    } else if (before === undefined || before.status === 'queued') this.#queue.withdraw(after.id)
  }

  position(id: string): number | undefined {
    return this.#queue.position(id)
  }

  /** There is more room than there was: for a line, or under the key of a cap for one piece of work. */
  mayRunMore(key: string): void {
    if (this.#queue.free(key)) this.#waiting.wake()
  }

  /**
   * Takes up to `runs` runs of work, of groups that are not `busy`, waiting for the first up to `waitMs`. Empty when
   * none came, the signal ended, the pool ended, or the same executor asked again, which ends the wait of its claim
   * before: to end it is all that asking for 0 runs does.
   */
  async claim({ executorId, runs, busy, waitMs }: ClaimRequest, signal: AbortSignal): Promise<ClaimAnswer<T>> {
    const { clock } = this.#options
    const askedAt = clock.monotonic()
    const waitedMs = () => clock.monotonic() - askedAt
    this.#waiting.end(executorId)
    while (runs > 0) {
      await this.#refill()
      const taken = this.#queue.take(runs, busy)
      if (taken.length > 0) {
        const waited = waitedMs()
        const claimed = await this.#claimRuns(taken)
        if (signal.aborted) {
          await this.giveBack(claimed)
          break
        }
        if (claimed.length > 0) return { runs: claimed, waitedMs: waited }
        continue
      }
      const left = waitMs - waitedMs()
      if (left <= 0 || signal.aborted || !this.#isRunning) break
      if (!(await this.#waiting.wait(executorId, left, signal))) break
    }
    return { runs: [], waitedMs: waitedMs() }
  }

  /** Whoever asked has gone: the work goes back at once instead of waiting for its lease to end. */
  async giveBack(claimed: readonly Claimed<T>[]): Promise<void> {
    const report = { compute_ms: 0, group_version: '', engine_kind: '', engine_name: '', provider: '' }
    const back = claimed.flatMap(run => run.work)
    await Promise.all(back.map(one => this.finish(one.tenant, one.id, one, { kind: 'returned' }, report)))
  }

  /** Keeps a lease. What is not `kept` is to be stopped. */
  async renew(tenant: string, id: string, lease_id: string): Promise<Verdict> {
    const { work, clock } = this.#options
    const askedAt = clock.monotonic()
    const held = await work.get(tenant, id)
    if (held?.lease_id !== lease_id) return 'lost'
    // Where this pool has ended meanwhile, its next owner counts from later.
    if (this.#isRunning && !this.#deadlines.renew(held, askedAt)) return 'lost'
    return held.status === 'cancelling' ? 'cancel' : 'kept'
  }

  /** Takes a result; false when its lease is not the live one. A repeated result of the same lease is refused. */
  async finish(tenant: string, id: string, held: Held, outcome: Outcome, report: RunReport): Promise<boolean> {
    return await this.settle({ tenant, id, ...held }, { kind: 'finished', held, outcome, report })
  }

  /**
   * Ends the lease of claimed work by a cause, which names it; false when that is not the live one. Where it rejects
   * nobody knows what came of it, and it is to be called again.
   */
  async settle(
    { tenant, id, lease_id }: Pick<T, 'tenant' | 'id' | 'lease_id'>,
    cause: C | LeaseCause,
  ): Promise<boolean> {
    const result = await this.#change(tenant, id, cause)
    if (this.#options.ownerClaims) {
      this.#letGo(lease_id)
      if (result.kind === 'refused') this.changed(undefined, result.current)
    }
    return result.kind === 'changed'
  }

  /** Fills the queue from the store, then sweeps until the signal ends: from then on no claim waits. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, onError } = this.#options
    let filled = false
    const fillsAgain = this.#options.ownerClaims === true
    this.#isRunning = !signal.aborted
    this.#hasLooked = false
    this.#lookAt = 0
    const end = () => {
      this.#isRunning = false
      this.#waiting.endAll()
    }
    signal.addEventListener('abort', end, { once: true })
    await everyInterval(clock, sweepEveryMs, signal, async () => {
      try {
        const isTime = clock.monotonic() >= this.#lookAt
        if (isTime) await this.#look()
        if (!filled || (isTime && fillsAgain)) await this.#fill()
        filled = true
        await this.#refill()
        await this.#sweep(signal)
      } catch (error) {
        this.#lookAt = 0
        onError(error)
      }
    })
    this.#queue = this.#emptyQueue()
    this.#deadlines.clear()
    this.#holding.clear()
  }

  #emptyQueue(): ReadyQueue {
    const { maxBatch, caps } = this.#options
    return new ReadyQueue({ maxBatch, caps, running: key => this.#runningOf(key), window: this.#window })
  }

  #runningOf(key: string): number {
    if (this.#options.ownerClaims) return this.#holding.of(key)
    if (!this.#hasLooked) return Number.POSITIVE_INFINITY
    return this.#deadlines.leasesOf(key) + this.#holding.of(key)
  }

  #heard(work: T): void {
    if (!this.#options.ownerClaims || !this.#holding.has(work.lease_id)) this.#deadlines.heard(work)
  }

  #letGo(lease_id: string): void {
    for (const key of this.#holding.remove(lease_id)) this.mayRunMore(key)
  }

  /** What of the runs could be claimed. Rejects only where nothing could, because the store failed. */
  async #claimRuns(runs: readonly (readonly Ready[])[]): Promise<Claimed<T>[]> {
    const failures: unknown[] = []
    const claimed = await Promise.all(
      runs.map(async run => {
        const claims = run.map(ready => this.#claimOne(ready))
        const work = await fulfilled(claims, failures)
        return { group: run[0]?.group ?? '', work: work.filter(one => one !== undefined) }
      }),
    )
    const some = claimed.filter(run => run.work.length > 0)
    if (some.length === 0 && failures.length > 0) throw failures[0]
    return some
  }

  async #claimOne(ready: Ready): Promise<T | undefined> {
    const { newLeaseId, ownerClaims, caps } = this.#options
    const lease_id = newLeaseId()
    this.#holding.add(lease_id, caps ? caps(ready).map(({ key }) => key) : [ready.line])
    let claimed: T | undefined
    try {
      const result = await this.#change(ready.tenant, ready.id, { kind: 'claimed', lease_id })
      if (result.kind === 'changed') claimed = result.after
      return claimed
    } catch (error) {
      this.#queue.offer(ready)
      throw error
    } finally {
      if (!claimed || !ownerClaims) this.#letGo(lease_id) // It counts as a lease, or for nothing.
    }
  }

  /** Where it rejects the change may have been made all the same: then the store tells. */
  async #change(tenant: string, id: string, cause: C | LeaseCause): Promise<Changed<T>> {
    try {
      return await this.#options.work.change(tenant, id, cause)
    } catch (error) {
      this.#lookAt = 0
      throw error
    }
  }

  #offer(work: T): void {
    const { tenant, id, group, rank, alone } = work
    const share = this.#options.share(work)
    if (this.#queue.offer({ tenant, id, line: this.#lines.of(work), group, rank, alone, share })) this.#waiting.wake()
  }

  /** Everything that waits in the store, line by line, as far as the window goes. */
  async #fill(): Promise<void> {
    const { name, work } = this.#options
    const isFull = (rank: Refill) => this.#queue.hasMore(rank)
    for await (const page of readyWork(work, name, this.#lines, isFull)) for (const one of page) this.#offer(one)
  }

  async #refill(): Promise<void> {
    const unread = new Set(this.#queue.beginRefills())
    try {
      for (const refill of unread) {
        await this.#read(refill)
        unread.delete(refill)
      }
    } finally {
      for (const refill of unread) this.#queue.more(refill)
    }
  }

  /** Reads the first of a line's work of a rank, as much as the window holds. */
  async #read(refill: Refill): Promise<void> {
    const { name, work } = this.#options
    let read = 0
    for await (const page of readyOfRank(work, name, this.#lines, refill, this.#window)) {
      for (const one of page) this.#offer(one)
      read += page.length
      if (read >= this.#window) {
        this.#queue.more(refill)
        return
      }
    }
  }

  /** Learns of every lease and backoff in the store. */
  async #look(): Promise<void> {
    const { name, work, clock } = this.#options
    this.#lookAt = clock.monotonic() + lookEveryMs
    for await (const page of countedWork(work, name)) for (const one of page) this.#heard(one)
    this.#hasLooked = true
    this.#queue.freeAll()
    this.#waiting.wake()
  }

  /** Ends leases and backoffs whose time is over, and what has waited in the queue for too long; fails after all. */
  async #sweep(signal: AbortSignal): Promise<void> {
    const { name, work, clock } = this.#options
    const failures: unknown[] = []
    const ended = await this.#deadlines.ended(signal)
    for (let done = 0; done < ended.length && !signal.aborted; done += changeAtOnce) {
      const changes = ended.slice(done, done + changeAtOnce).map(one => this.#end(one))
      await fulfilled(changes, failures)
    }
    while (!signal.aborted) {
      const before = [clock.now() + 1]
      const due = await work.find('due', { equals: [name], after: [countedByOwner], before, limit: changeAtOnce })
      const changes = due.map(one => work.change(one.tenant, one.id, { kind: 'due' }))
      const results = await fulfilled(changes, failures)
      if (due.length < changeAtOnce || !results.some(result => result.kind === 'changed')) break
    }
    if (failures.length > 0) throw failures[0]
  }

  async #end(deadline: Deadline): Promise<void> {
    const result = await this.#change(deadline.tenant, deadline.id, deadline.cause)
    this.#deadlines.forget(deadline) // What became of it was heard, or it had ended before.
    this.mayRunMore(deadline.line)
    if (result.kind === 'refused') this.changed(undefined, result.current) // Perhaps by a write whose answer was lost.
  }
}
