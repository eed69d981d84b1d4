/**
 * One pool of leased work: who may claim what, for how long, and what becomes of it when its holder is gone. The ready
 * queue is memory and can be rebuilt from the store at any time; a claim is a compare-and-set on the work itself, so
 * two owners of one pool for a moment are harmless.
 */

import { Leases } from './held-leases.ts'
import type { Deadline } from './lease-timers.ts'
import type { CapSibling, PoolOptions } from './pool-options.ts'
import { type Ready, ReadyQueue } from './ready-queue.ts'
import { Refiller } from './refiller.ts'
import { settleAll } from './settle-all.ts'
import { type FlowIndex, tenants } from './stored-work.ts'
import { Sweeper } from './sweeper.ts'
import { WaitingClaims } from './waiting-claims.ts'
import type { FencingToken, LeaseCause, Outcome, RunReport, Work } from './work.ts'
import type { ChangeResult } from './work-store.ts'

export interface ClaimedRun<T> {
  readonly group: string
  readonly work: readonly T[]
}

export interface ClaimResult<T> {
  readonly runs: readonly ClaimedRun<T>[]
  /** How long the claim had waited when the leases of its runs began. */
  readonly waitedMs: number
}

export interface ClaimRequest {
  readonly executorId: string
  readonly runs: number
  readonly busy: ReadonlySet<string>
  readonly waitMs: number
  /** Only work of flows of which nothing runs: for room that one flow's backlog may never fill. */
  readonly newcomersOnly?: boolean
  /** Only work of this flow. */
  readonly flow?: string | undefined
  /** Who claims ends with this process: a claim that is lost with it was never made, so its run may begin before it is durable. */
  readonly isLocal?: boolean
}

/** What becomes of a lease that was to be renewed: what is `cancel` lasts on, and is to be stopped. */
export type RenewResult = 'kept' | 'cancel' | 'lost'

export class Pool<T extends Work, C> implements CapSibling {
  readonly #options: PoolOptions<T, C>
  readonly #flows: FlowIndex<T>
  #queue: ReadyQueue
  readonly #refiller: Refiller<T>
  readonly #waiting: WaitingClaims
  readonly #leases: Leases<T>
  readonly #sweeper: Sweeper<T, C>
  #siblings: readonly CapSibling[] | undefined
  #isRunning = false

  constructor(options: PoolOptions<T, C>) {
    this.#options = options
    const flows = options.flows ?? tenants
    this.#flows = flows
    this.#queue = this.#emptyQueue()
    this.#refiller = new Refiller({ ...options, flows, queue: () => this.#queue, offer: work => this.#offer(work) })
    this.#waiting = new WaitingClaims(options.clock)
    this.#leases = new Leases({ ...options, flowOf: flows.of, onRoom: key => this.#tellOfRoom(key) })
    this.#sweeper = new Sweeper({
      ...options,
      leases: this.#leases,
      refiller: this.#refiller,
      end: deadline => this.#end(deadline),
      heard: work => {
        this.changed(undefined, work)
        options.onReread?.(work)
      },
      onSynced: () => {
        for (const pool of this.#underSameCaps()) pool.mayRunAll()
      },
    })
  }

  /**
   * Hears of every durable change of the pool's work, and before of what is decided and rests. `before`: what it was, where
   * that is known.
   */
  changed(before: T | undefined, after: T): void {
    if (!this.#isRunning) return
    this.#sweeper.observe(after)
    if (after.lease_id === '') this.#tellOfRoom(this.#flows.of(after))
    if (after.status === 'queued') {
      if (after.backoff_ms === 0) this.#offer(after)
    } else if (before === undefined || before.status === 'queued') this.#queue.withdraw(after.id)
  }

  /**
   * This work may be in the store otherwise than was heard: it is read again. What was heard before it was durable counts for
   * nothing until then.
   */
  doubt({ tenant, id }: Pick<T, 'tenant' | 'id'>, wasDecided: boolean): void {
    if (!this.#isRunning) return
    if (wasDecided) {
      this.#queue.withdraw(id)
      this.#leases.drop(id)
    }
    this.#sweeper.doubt(tenant, id)
  }

  position(id: string): number | undefined {
    return this.#queue.position(id)
  }

  /** The id of the oldest work that could be claimed now. */
  oldestId(): string | undefined {
    return this.#queue.oldestId()
  }

  running(key: string): number {
    return this.#leases.under(key)
  }

  /** There is more room than there was: for a flow, or under the key of a cap for one piece of work. */
  mayRunMore(key: string): void {
    if (this.#queue.free(key)) this.#waiting.wake()
  }

  /**
   * Takes up to `runs` runs of work, of groups that are not `busy`, waiting for the first up to `waitMs`. Empty when
   * none came, the signal ended, the pool ended, or the same executor asked again, which ends the wait of its claim
   * before: to end it is all that asking for 0 runs does.
   */
  async claim(
    { executorId, runs, busy, waitMs, newcomersOnly, flow, isLocal }: ClaimRequest,
    signal: AbortSignal,
  ): Promise<ClaimResult<T>> {
    const { clock } = this.#options
    const askedAt = clock.monotonic()
    const waitedMs = () => clock.monotonic() - askedAt
    this.#waiting.end(executorId)
    while (runs > 0) {
      const taken = this.#queue.take(runs, busy, { newcomersOnly, flow })
      const refilling = this.#refiller.refill()
      if (taken.length > 0) {
        const waited = waitedMs()
        const claimed = await this.#claimRuns(taken, isLocal)
        if (signal.aborted) {
          await this.release(claimed)
          break
        }
        if (claimed.length > 0) return { runs: claimed, waitedMs: waited }
        continue
      }
      const left = waitMs - waitedMs()
      if (signal.aborted || !this.#isRunning) break
      if (left > 0) {
        if (!(await this.#waiting.wait(executorId, left, signal))) break
      } else if (refilling) await refilling
      else break
    }
    return { runs: [], waitedMs: waitedMs() }
  }

  /** Whoever asked has gone: the work goes back at once instead of waiting for its lease to end. */
  async release(claimed: readonly ClaimedRun<T>[]): Promise<void> {
    const report = { compute_ms: 0, group_version: '', engine_kind: '', engine_name: '', provider: '' }
    const back = claimed.flatMap(run => run.work)
    await Promise.all(back.map(one => this.finish(one.tenant, one.id, one, { kind: 'returned' }, report)))
  }

  /**
   * Keeps a lease. What is not `kept` is to be stopped. A claim that rests is not written for it: its run is of this process,
   * and where that write fails the next renewal finds the lease lost.
   */
  async renew(tenant: string, id: string, lease_id: string): Promise<RenewResult> {
    const { work, clock } = this.#options
    const askedAt = clock.monotonic()
    const resting = work.resting(tenant, id)
    const held = resting?.lease_id === lease_id ? resting : await work.get(tenant, id)
    if (held?.lease_id !== lease_id) return 'lost'
    // Where this pool has ended meanwhile, its next owner counts from later.
    if (this.#isRunning && !this.#leases.renew(held, askedAt)) return 'lost'
    return held.status === 'cancelling' ? 'cancel' : 'kept'
  }

  /** Takes a result; false when its lease is not the live one. A repeated result of the same lease is refused. */
  async finish(tenant: string, id: string, held: FencingToken, outcome: Outcome, report: RunReport): Promise<boolean> {
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
      this.#leases.settled(lease_id)
      if (result.kind === 'refused') this.changed(undefined, result.current)
    }
    return result.kind === 'changed'
  }

  /** Fills the queue from the store, then sweeps until the signal ends: from then on no claim waits. */
  async run(signal: AbortSignal): Promise<void> {
    this.#isRunning = !signal.aborted
    const end = () => {
      this.#isRunning = false
      this.#waiting.endAll()
    }
    signal.addEventListener('abort', end, { once: true })
    await this.#sweeper.run(signal)
    this.#queue = this.#emptyQueue()
  }

  #emptyQueue(): ReadyQueue {
    const { maxBatch, caps, window = 2_000 } = this.#options
    const runningUnder = (key: string) => this.#underSameCaps().reduce((sum, pool) => sum + pool.running(key), 0)
    return new ReadyQueue({ maxBatch, caps, running: key => this.running(key), runningUnder, window })
  }

  /** What of the runs could be claimed. Rejects only where nothing could, because the store failed. */
  async #claimRuns(runs: readonly (readonly Ready[])[], isLocal = false): Promise<ClaimedRun<T>[]> {
    const failures: unknown[] = []
    const claimed = await Promise.all(
      runs.map(async run => {
        const claims = run.map(ready => this.#claimOne(ready, isLocal))
        const work = await settleAll(claims, failures)
        return { group: run[0]?.group ?? '', work: work.filter(one => one !== undefined) }
      }),
    )
    const some = claimed.filter(run => run.work.length > 0)
    if (some.length === 0 && failures.length > 0) throw failures[0]
    return some
  }

  async #claimOne(ready: Ready, isLocal: boolean): Promise<T | undefined> {
    const { work, ownerClaims, newLeaseId } = this.#options
    const lease_id = newLeaseId()
    this.#leases.ask(lease_id, ready)
    let claimed: T | undefined
    try {
      const cause = { kind: 'claimed', lease_id } as const
      const { tenant, id } = ready
      const result = isLocal ? await work.decide(tenant, id, cause) : await this.#change(tenant, id, cause)
      if (result.kind === 'changed') claimed = result.after
      else if (ownerClaims && result.kind === 'refused' && this.#isOfAnother(result.current))
        this.#sweeper.requestResyncSoon()
      return claimed
    } catch (error) {
      this.#queue.offer(ready)
      this.#sweeper.requestResync()
      throw error
    } finally {
      this.#leases.answered(lease_id, claimed !== undefined)
    }
  }

  #isOfAnother({ lease_id }: T): boolean {
    return lease_id !== '' && !this.#leases.isOwn(lease_id)
  }

  /** Where it rejects the change may have been made all the same: then the store tells. */
  async #change(tenant: string, id: string, cause: C | LeaseCause): Promise<ChangeResult<T>> {
    try {
      return await this.#options.work.change(tenant, id, cause)
    } catch (error) {
      this.#sweeper.requestResync()
      throw error
    }
  }

  #offer(work: T): void {
    if (!this.#isRunning || work.status !== 'queued') return
    const { tenant, id, group, rank, alone = false } = work
    const share = this.#options.share(work)
    if (this.#queue.offer({ tenant, id, flow: this.#flows.of(work), group, rank, alone, share })) this.#waiting.wake()
  }

  /** There may be room for all. */
  mayRunAll(): void {
    this.#queue.freeAll()
    this.#waiting.wake()
  }

  #underSameCaps(): readonly CapSibling[] {
    this.#siblings ??= [this, ...(this.#options.siblings?.() ?? [])]
    return this.#siblings
  }

  #tellOfRoom(key: string): void {
    for (const pool of this.#underSameCaps()) pool.mayRunMore(key)
  }

  async #end(deadline: Deadline): Promise<void> {
    const result = await this.#change(deadline.tenant, deadline.id, deadline.cause)
    this.#leases.forget(deadline) // What became of it was heard, or it had ended before.
    this.#tellOfRoom(deadline.flow)
    if (result.kind === 'refused') this.changed(undefined, result.current) // Perhaps by a write whose answer was lost.
  }
}
