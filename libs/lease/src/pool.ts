/**
 * One pool of leased work: who may claim what, for how long, and what becomes of it when its holder is gone. The ready
 * queue is memory and can be rebuilt from the store at any time; a claim is a compare-and-set on the work itself, so
 * two owners of one pool for a moment are harmless.
 */
import { type Clock, everyInterval } from '@millhand/runner'
import { type Deadline, Deadlines } from './deadlines.ts'
import { fulfilled } from './fulfilled.ts'
import { type Ready, ReadyQueue, type Refill, type Share } from './ready-queue.ts'
import { countedWork, readyWork, tenantsThatWait } from './stored-work.ts'
import { Tally } from './tally.ts'
import { WaitingClaims } from './waiting-claims.ts'
import { countedByOwner, type Held, type LeaseCause, type Outcome, type RunReport, type Work } from './work.ts'
import type { Changed, WorkStore } from './work-store.ts'

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

export interface PoolOptions<T extends Work, C> {
  readonly name: string
  readonly work: WorkStore<T, C | LeaseCause>
  readonly clock: Clock
  readonly newLeaseId: () => string
  /** What its tenant may have, as it was when the work was made: its latest work tells what holds. */
  readonly share: (work: T) => Share
  readonly maxBatch: (group: string) => number
  /** How many pieces of one tenant and rank the ready queue holds; the store has the others. */
  readonly window?: number
  readonly onError: (error: unknown) => void
}

export class Pool<T extends Work, C> {
  readonly #options: PoolOptions<T, C>
  #queue: ReadyQueue
  readonly #waiting: WaitingClaims
  readonly #deadlines: Deadlines
  readonly #window: number
  /** Work that was taken from the queue, by tenant, until its claim has succeeded or failed. */
  readonly #claiming = new Tally()
  #isRunning = false
  /** Whether the leases of before are known: until then nobody knows how much of a tenant's work runs. */
  #hasLooked = false
  /** When the store is asked for leases and backoffs, by the monotonic clock: 0 is at once. */
  #lookAt = 0

  constructor(options: PoolOptions<T, C>) {
    this.#options = options
    this.#window = options.window ?? 2_000
    this.#queue = this.#emptyQueue()
    this.#waiting = new WaitingClaims(options.clock)
    this.#deadlines = new Deadlines(options.clock)
  }

  /** Hears of every durable change of the pool's work. `before`: what it was, where that is known. */
  changed(before: T | undefined, after: T): void {
    if (!this.#isRunning) return
    this.#deadlines.heard(after)
    if (after.lease_id === '' && this.#queue.wasFull(after.tenant)) this.#waiting.wake()
    if (after.status === 'queued') {
      if (after.backoff_ms === 0) this.#offer(after)
    } else if (before === undefined || before.status === 'queued') this.#queue.withdraw(after.id)
  }

  position(id: string): number | undefined {
    return this.#queue.position(id)
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
    const result = await this.#change(tenant, id, { kind: 'finished', held, outcome, report })
    return result.kind === 'changed'
  }

  /** Fills the queue from the store, then sweeps until the signal ends: from then on no claim waits. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, onError } = this.#options
    let filled = false
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
        if (clock.monotonic() >= this.#lookAt) await this.#look()
        if (!filled) await this.#fill()
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
  }

  #emptyQueue(): ReadyQueue {
    return new ReadyQueue({
      maxBatch: this.#options.maxBatch,
      running: tenant => this.#runningOf(tenant),
      window: this.#window,
    })
  }

  #runningOf(tenant: string): number {
    if (!this.#hasLooked) return Number.POSITIVE_INFINITY
    return this.#deadlines.leasesOf(tenant) + this.#claiming.of(tenant)
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
    const lease_id = this.#options.newLeaseId()
    this.#claiming.add(ready.tenant, 1)
    try {
      const result = await this.#change(ready.tenant, ready.id, { kind: 'claimed', lease_id })
      return result.kind === 'changed' ? result.after : undefined
    } catch (error) {
      this.#queue.offer(ready)
      throw error
    } finally {
      this.#claiming.add(ready.tenant, -1)
      if (this.#queue.wasFull(ready.tenant)) this.#waiting.wake() // It may have counted twice, or for nothing.
    }
  }

  /** Where it rejects the change may have been made all the same: then the store tells. */
  async #change(tenant: string, id: string, cause: LeaseCause): Promise<Changed<T>> {
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
    if (this.#queue.offer({ tenant, id, group, rank, alone, share })) this.#waiting.wake()
  }

  /** Everything that waits in the store, tenant by tenant, as far as the window goes. */
  async #fill(): Promise<void> {
    for await (const tenant of tenantsThatWait(this.#options.work, this.#options.name)) {
      for (const rank of [0, 1, 2]) await this.#read({ tenant, rank })
    }
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

  /** Reads the first of a tenant's work of a rank, as much as the window holds. */
  async #read(refill: Refill): Promise<void> {
    const { name, work } = this.#options
    let read = 0
    for await (const page of readyWork(work, name, refill.tenant, refill.rank)) {
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
    for await (const page of countedWork(work, name)) for (const one of page) this.#deadlines.heard(one)
    this.#hasLooked = true
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
    if (result.kind === 'refused') this.changed(undefined, result.current) // Perhaps by a write whose answer was lost.
  }
}
