/**
 * One pool of leased work: who may claim what, for how long, and what becomes of it when its holder is gone. The ready
 * queue is memory and can be rebuilt from the store at any time; a claim is a compare-and-set on the work itself, so
 * two owners of one pool for a moment are harmless.
 */
import { type Clock, everyInterval } from '@millhand/runner'
import { type Ready, ReadyQueue } from './ready-queue.ts'
import type { LeaseCause, Outcome, RunReport, Work } from './work.ts'
import type { WorkStore } from './work-store.ts'

export const leaseTimes = {
  /** How long a lease lasts. */
  ttlMs: 10_000,
  /** A renewal is written down once less than this is left, so a long run costs a write every 4 s and not every second. */
  writeBelowMs: 6_000,
  sweepEveryMs: 500,
} as const

export interface Claimed<T> {
  readonly group: string
  readonly work: readonly T[]
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
  /** How many pieces of one tenant the ready queue holds. */
  readonly window?: number
  readonly onError: (error: unknown) => void
}

export class Pool<T extends Work, C> {
  readonly #options: PoolOptions<T, C>
  readonly #queue: ReadyQueue
  /** The claim of each executor that waits for work. */
  readonly #waiting = new Map<string, () => void>()
  readonly #superseded = new Map<string, () => void>()
  #wakeScheduled = false

  constructor(options: PoolOptions<T, C>) {
    this.#options = options
    this.#queue = new ReadyQueue({
      weight: options.weight,
      maxBatch: options.maxBatch,
      window: options.window ?? 10_000,
    })
  }

  /** Hears of every durable change of the pool's work. */
  changed(before: T | undefined, after: T): void {
    if (after.status === 'queued') {
      if (after.ready_at <= this.#options.clock.now()) this.#offer(after)
    } else if (before?.status === 'queued') this.#queue.withdraw(after.id)
  }

  position(id: string): number | undefined {
    return this.#queue.position(id)
  }

  /**
   * Takes up to `runs` runs of work, of groups that are not `busy`, waiting for the first up to `waitMs`. Empty when
   * none came, the signal ended, or the same executor asked again, which ends the wait of its claim before.
   */
  async claim({ executorId, runs, busy, waitMs }: ClaimRequest, signal: AbortSignal): Promise<Claimed<T>[]> {
    const deadline = this.#options.clock.monotonic() + waitMs
    for (;;) {
      const taken = this.#queue.take(runs, busy)
      if (taken.length > 0) {
        const claimed = (await Promise.all(taken.map(run => this.#claimRun(run)))).filter(run => run.work.length > 0)
        await this.#refillHungry()
        if (signal.aborted) return await this.#giveBack(claimed)
        if (claimed.length > 0) return claimed
        continue
      }
      const left = deadline - this.#options.clock.monotonic()
      if (left <= 0 || signal.aborted) return []
      if (!(await this.#offered(executorId, left, signal))) return []
    }
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

  /** Fills the queue from the store, then sweeps until the signal ends. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, onError } = this.#options
    let filled = false
    await everyInterval(clock, leaseTimes.sweepEveryMs, signal, async () => {
      try {
        if (!filled) await this.#fill()
        filled = true
        await this.#sweep()
      } catch (error) {
        onError(error)
      }
    })
  }

  async #claimRun(run: readonly Ready[]): Promise<Claimed<T>> {
    const work = await Promise.all(run.map(ready => this.#claimOne(ready)))
    return { group: run[0]?.group ?? '', work: work.filter(one => one !== undefined) }
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

  /** Whoever asked has gone: the work goes back at once instead of waiting for its lease to end. */
  async #giveBack(claimed: readonly Claimed<T>[]): Promise<[]> {
    const report = { compute_ms: 0, group_version: '', engine_kind: '', engine_name: '', provider: '' }
    const back = claimed.flatMap(run => run.work)
    await Promise.all(back.map(one => this.finish(one.tenant, one.id, one, { kind: 'evicted' }, report)))
    return []
  }

  async #renewOne({ tenant, id, lease_id, progress }: RenewalRequest): Promise<Verdict> {
    const { work, clock } = this.#options
    const held = await work.get(tenant, id)
    if (held?.lease_id !== lease_id) return { kind: 'lost' }
    const now = clock.now()
    if (held.lease_until <= now) return { kind: 'lost' }
    if (held.lease_until - now > leaseTimes.writeBelowMs && !progress) return verdict(held, now)
    const cause = {
      kind: 'renewed',
      held: { lease_id, attempt: held.attempt },
      lease_until: now + leaseTimes.ttlMs,
      ...(progress && { progress }),
    } as const
    const result = await work.change(tenant, id, cause)
    return result.kind === 'changed' ? verdict(result.after, now) : { kind: 'lost' }
  }

  #offer(work: T): void {
    const { tenant, id, group, rank, alone } = work
    if (this.#queue.offer({ tenant, id, group, rank, alone })) this.#wake()
  }

  /** Wakes the claims that wait, once this turn's writes have all been answered: they then share a run. */
  #wake(): void {
    if (this.#wakeScheduled || this.#waiting.size === 0) return
    this.#wakeScheduled = true
    setImmediate(() => {
      this.#wakeScheduled = false
      for (const wake of [...this.#waiting.values()]) wake()
    })
  }

  /** Resolves with true when there may be work, with false when the same executor asked again. */
  #offered(executorId: string, waitMs: number, signal: AbortSignal): Promise<boolean> {
    this.#superseded.get(executorId)?.()
    return new Promise(resolve => {
      const end = (answer: boolean) => {
        timer.cancel()
        this.#waiting.delete(executorId)
        this.#superseded.delete(executorId)
        signal.removeEventListener('abort', wake)
        resolve(answer)
      }
      const wake = () => end(true)
      const timer = this.#options.clock.timer(waitMs, wake)
      this.#waiting.set(executorId, wake)
      this.#superseded.set(executorId, () => end(false))
      signal.addEventListener('abort', wake, { once: true })
    })
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
      if (!next) break
      await this.#refill(next.tenant)
      after = [next.tenant]
    }
    this.#wake()
  }

  async #refillHungry(): Promise<void> {
    for (const tenant of this.#queue.hungry()) await this.#refill(tenant)
  }

  async #refill(tenant: string): Promise<void> {
    const { name, work, clock, window = 10_000 } = this.#options
    const found: T[] = []
    for (const rank of [0, 1, 2]) {
      const limit = window - found.length
      if (limit <= 0) break
      const before = [clock.now() + 1]
      found.push(...(await work.find('ready', { equals: [name, tenant, rank], before, limit })))
    }
    this.#queue.refill(tenant, found, found.length >= window)
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
  ttlMs: work.lease_until - now,
})
