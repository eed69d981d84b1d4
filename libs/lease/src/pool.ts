/**
 * One pool of leased work: who may claim what, for how long, and what becomes of it when its holder is gone. The ready
 * queue is memory and can be rebuilt from the store at any time; a claim is a compare-and-set on the work itself, so
 * two owners of one pool for a moment are harmless.
 */
import { type Clock, everyInterval } from '@millhand/runner'
import { type Ready, ReadyQueue, type Refill } from './ready-queue.ts'
import { WaitingClaims } from './waiting-claims.ts'
import type { LeaseCause, Outcome, RunReport, Work } from './work.ts'
import type { WorkStore } from './work-store.ts'

export const leaseTimes = {
  /** How long a lease lasts. */
  ttlMs: 10_000,
  /** A renewal is written down once less than this is left, so a long run costs a write every 4 s and not every second. */
  writeBelowMs: 6_000,
  sweepEveryMs: 500,
} as const

/** How many documents are read from the store in one go. */
const readAtOnce = 250

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

export interface RenewalRequest {
  readonly tenant: string
  readonly id: string
  readonly lease_id: string
  readonly progress?: { readonly fraction: number; readonly message?: string }
}

export type Verdict =
  | { readonly kind: 'kept'; readonly ttlMs: number }
  | { readonly kind: 'cancel'; readonly ttlMs: number }
  | { readonly kind: 'lost' }

export interface PoolOptions<T extends Work, C> {
  readonly name: string
  readonly work: WorkStore<T, C | LeaseCause>
  readonly clock: Clock
  readonly newLeaseId: () => string
  readonly weight: (tenant: string) => number
  readonly maxBatch: (group: string) => number
  /** How many pieces of one tenant and rank the ready queue holds; the store has the others. */
  readonly window?: number
  readonly onError: (error: unknown) => void
}

export class Pool<T extends Work, C> {
  readonly #options: PoolOptions<T, C>
  #queue: ReadyQueue
  readonly #waiting: WaitingClaims
  readonly #window: number
  #isRunning = false

  constructor(options: PoolOptions<T, C>) {
    this.#options = options
    this.#window = options.window ?? 2_000
    this.#queue = this.#emptyQueue()
    this.#waiting = new WaitingClaims(options.clock)
  }

  /** Hears of every durable change of the pool's work. `before`: what it was, where that is known. */
  changed(before: T | undefined, after: T): void {
    if (!this.#isRunning) return
    if (after.status === 'queued') {
      if (after.ready_at === 0) this.#offer(after)
    } else if (before === undefined || before.status === 'queued') this.#queue.withdraw(after.id)
  }

  position(id: string): number | undefined {
    return this.#queue.position(id)
  }

  /**
   * Takes up to `runs` runs of work, of groups that are not `busy`, waiting for the first up to `waitMs`. Empty when
   * none came, the signal ended, the pool ended, or the same executor asked again, which ends the wait of its claim before: to end it
   * is all that asking for 0 runs does.
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

  /** Keeps leases. What is not `kept` is to be stopped. */
  renew(requests: readonly RenewalRequest[]): Promise<Verdict[]> {
    return Promise.all(requests.map(request => this.#renewOne(request)))
  }

  /** Takes a result; false when its lease is not the live one. A repeated result of the same lease is refused. */
  async finish(
    tenant: string,
    id: string,
    held: { lease_id: string; attempt: number },
    outcome: Outcome,
    report: RunReport,
  ): Promise<boolean> {
    const result = await this.#options.work.change(tenant, id, { kind: 'finished', held, outcome, report })
    return result.kind === 'changed'
  }

  /** Fills the queue from the store, then sweeps until the signal ends; then it is empty, and no claim waits. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, onError } = this.#options
    let filled = false
    this.#isRunning = true
    await everyInterval(clock, leaseTimes.sweepEveryMs, signal, async () => {
      try {
        if (!filled) await this.#fill()
        filled = true
        await this.#refill()
        await this.#sweep()
      } catch (error) {
        onError(error)
      }
    })
    this.#isRunning = false
    this.#queue = this.#emptyQueue()
    this.#waiting.endAll()
  }

  #emptyQueue(): ReadyQueue {
    const { weight, maxBatch } = this.#options
    return new ReadyQueue({ weight, maxBatch, window: this.#window })
  }

  /** What of the runs could be claimed. Rejects only where nothing could, because the store failed. */
  async #claimRuns(runs: readonly (readonly Ready[])[]): Promise<Claimed<T>[]> {
    const failures: unknown[] = []
    const claimed = await Promise.all(
      runs.map(async run => {
        const results = await Promise.allSettled(run.map(ready => this.#claimOne(ready)))
        const work: T[] = []
        for (const result of results) {
          if (result.status === 'rejected') failures.push(result.reason)
          else if (result.value) work.push(result.value)
        }
        return { group: run[0]?.group ?? '', work }
      }),
    )
    const some = claimed.filter(run => run.work.length > 0)
    if (some.length === 0 && failures.length > 0) throw failures[0]
    return some
  }

  async #claimOne(ready: Ready): Promise<T | undefined> {
    const { work, clock, newLeaseId } = this.#options
    const lease_until = clock.now() + leaseTimes.ttlMs
    try {
      const result = await work.change(ready.tenant, ready.id, { kind: 'claimed', lease_id: newLeaseId(), lease_until })
      return result.kind === 'changed' ? result.after : undefined
    } catch (error) {
      this.#queue.offer(ready)
      throw error
    }
  }

  async #renewOne({ tenant, id, lease_id, progress }: RenewalRequest): Promise<Verdict> {
    const { work, clock } = this.#options
    const held = await work.get(tenant, id)
    if (held?.lease_id !== lease_id) return { kind: 'lost' }
    const now = clock.now()
    if (held.lease_until <= now) return { kind: 'lost' }
    const left = held.lease_until - now
    // More than a lease is left only when the clock was set back.
    const fresh = left > leaseTimes.writeBelowMs && left <= leaseTimes.ttlMs
    if (fresh && !progress) return verdict(held, now)
    const cause = {
      kind: 'renewed',
      held: { lease_id, attempt: held.attempt },
      lease_until: now + leaseTimes.ttlMs,
      ...(progress && { progress }),
    } as const
    const result = await work.change(tenant, id, cause)
    return result.kind === 'changed' ? verdict(result.after, now) : { kind: 'lost' }
  }

  #offer({ tenant, id, group, rank, alone }: T): void {
    if (this.#queue.offer({ tenant, id, group, rank, alone })) this.#waiting.wake()
  }

  /** Everything that waits in the store, tenant by tenant, as far as the window goes. */
  async #fill(): Promise<void> {
    let after: string[] = []
    for (;;) {
      const [next] = await this.#options.work.find('ready', {
        equals: [this.#options.name],
        ...(after.length > 0 && { after }),
        limit: 1,
      })
      if (!next) return
      for (const rank of [0, 1, 2]) await this.#read({ tenant: next.tenant, rank })
      after = [next.tenant]
    }
  }

  async #refill(): Promise<void> {
    for (const refill of this.#queue.beginRefills()) await this.#read(refill)
  }

  /** Reads the first of a tenant's work of a rank, as much as the window holds; in steps, so as not to hold the loop. */
  async #read(refill: Refill): Promise<void> {
    const { tenant, rank } = refill
    const equals = [this.#options.name, tenant, rank, 0]
    let after: string[] = []
    for (let read = 0; read < this.#window; read += readAtOnce) {
      const query = { equals, limit: readAtOnce, ...(after.length > 0 && { after }) }
      const found = await this.#options.work.find('ready', query)
      for (const work of found) this.#offer(work)
      if (found.length < readAtOnce) return
      after = [found.at(-1)?.id ?? '']
    }
    this.#queue.more(refill)
  }

  /** What has fallen due: expired leases, queue time-outs, backoffs that are over. */
  async #sweep(): Promise<void> {
    const { name, work, clock } = this.#options
    for (;;) {
      const due = await work.find('due', { equals: [name], before: [clock.now() + 1], limit: 500 })
      const results = await Promise.all(due.map(one => work.change(one.tenant, one.id, { kind: 'due' })))
      if (due.length < 500 || !results.some(result => result.kind === 'changed')) return
    }
  }
}

const verdict = (work: Work, now: number): Verdict => ({
  kind: work.status === 'cancelling' ? 'cancel' : 'kept',
  ttlMs: Math.min(leaseTimes.ttlMs, work.lease_until - now),
})
