/** Delivers for a mode: claims deliveries, as many as it has free slots, attempts them, and settles the result of each. */

import type { Ids, KeyMode } from '@millhand/api'
import { type FlowIndex, Pool, type Ready, type WorkStore } from '@millhand/lease'
import { retry } from '@millhand/process'
import { traceIds } from '@millhand/telemetry'
import type { DeliveryRecord } from '../delivery.ts'
import type { Webhooks } from '../webhook.ts'
import { type AttemptDeps, type AttemptResult, attemptDelivery } from './attempt.ts'
import { createConcurrencyLimiter, type PostOutcome } from './concurrency-limiter.ts'
import { isGone, recordHealth } from './endpoint-disabling.ts'
import { poolOf } from './new-delivery.ts'
import { type DeliveryCause, isDelivered } from './transition.ts'

export interface DelivererDeps extends AttemptDeps {
  readonly store: WorkStore<DeliveryRecord, DeliveryCause>
  readonly webhooks: Webhooks
  readonly ids: Ids
  /** Hears what came of each, as it was before, once that is written. */
  readonly onTried: (delivery: DeliveryRecord, cause: DeliveryCause, traceparent: string | undefined) => void
}

/** How much of a flow the ready queue holds: a million rows cost no memory. */
const WINDOW = 64
const WAIT_MS = 60_000
/** How long a claim or a result rests that the store could not take. */
const REST_MS = 500
/** What takes longer is slow. */
const SWIFT_MS = 1_000
/** How long posts may go on after the stop, and after that their writes. */
const GRACE_MS = 1_000

const endpoints: FlowIndex<DeliveryRecord> = { of: ({ endpoint }) => endpoint, rest: [] }
const share = { weight: 1, maxRunning: Number.POSITIVE_INFINITY }

export class Deliverer {
  readonly #deps: DelivererDeps
  readonly #name: string
  readonly #atOnce: number
  readonly #limiter: ReturnType<typeof createConcurrencyLimiter>
  readonly #pool: Pool<DeliveryRecord, DeliveryCause>
  readonly #underWay = new Set<Promise<void>>()
  /** Tenants that might have more once others have fewer. */
  readonly #squeezed = new Set<string>()
  /** Resolved when one that is under way ends. */
  #ended = Promise.withResolvers<void>()

  constructor(deps: DelivererDeps, mode: KeyMode, atOnce: number) {
    const { store, clock, log } = deps
    const name = poolOf(mode)
    this.#deps = deps
    this.#name = name
    this.#atOnce = atOnce
    this.#limiter = createConcurrencyLimiter(clock, endpoint => this.#pool.mayRunMore(endpoint))
    this.#pool = new Pool<DeliveryRecord, DeliveryCause>({
      name,
      work: store,
      clock,
      newLeaseId: () => crypto.randomUUID(),
      flows: endpoints,
      share: () => share,
      caps: ready => this.#capsOf(ready),
      ownerClaims: true,
      window: WINDOW,
      onError: (error, delivery) =>
        log.error('pool.sweep_failed', { pool: name, ...(delivery && { delivery_id: delivery.id }), error }),
    })
  }

  changed(before: DeliveryRecord | undefined, after: DeliveryRecord): void {
    this.#pool.changed(before, after)
  }

  failing(endpoint: string) {
    return this.#limiter.failing(endpoint)
  }

  /** Until the signal ends and nothing is under way any more: what is then goes back after a second. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps
    const cutting = new AbortController()
    const leaving = new AbortController()
    const stop = () => {
      cut = clock.timer(GRACE_MS, () => cutting.abort())
      leave = clock.timer(2 * GRACE_MS, () => leaving.abort())
    }
    let [cut, leave] = [nothing, nothing]
    if (signal.aborted) return
    signal.addEventListener('abort', stop, { once: true })
    try {
      await Promise.all([this.#pool.run(signal), this.#claimAll(signal, cutting.signal, leaving.signal)])
    } finally {
      signal.removeEventListener('abort', stop)
      for (const timer of [cut, leave]) timer.cancel()
      this.#limiter.clear()
      this.#squeezed.clear()
    }
  }

  #capsOf({ flow, tenant }: Ready) {
    // How many are for new ones, and how many for slow ones: what is left is for those that answer swiftly.
    const lane = (this.#atOnce * 3) / 8
    const kind = this.#limiter.kind(flow)
    const own = [
      { key: flow, maxRunning: this.#limiter.limit(flow) },
      { key: tenant, maxRunning: this.#maxOf(tenant) },
    ]
    if (kind === 'swift') return own
    return [...own, { key: kind, maxRunning: lane }, { key: `${tenant} ${kind}`, maxRunning: lane / 8 }]
  }

  /** A quarter, and no more than are free: those whose endpoints hang all at once leave some to the others. */
  #maxOf(tenant: string): number {
    const free = Math.max(this.#atOnce - this.#underWay.size, 1)
    if (free < this.#atOnce / 4) this.#squeezed.add(tenant)
    return Math.min(free, this.#atOnce / 4)
  }

  async #claimAll(signal: AbortSignal, cut: AbortSignal, leave: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps
    while (!signal.aborted) {
      const room = this.#atOnce - this.#underWay.size
      if (room === 0) {
        this.#ended = Promise.withResolvers()
        await this.#ended.promise
        continue
      }
      try {
        // Half of it: how many a tenant may have is asked before any of them is under way.
        const request = { executorId: 'deliverer', runs: Math.ceil(room / 2), busy: none, waitMs: WAIT_MS }
        const { runs } = await this.#pool.claim(request, signal)
        for (const { work } of runs) for (const delivery of work) this.#start(delivery, cut, leave)
      } catch (error) {
        log.error('webhook.not_claimed', { pool: this.#name, error })
        await clock.sleep(REST_MS, signal).catch(() => {})
      }
    }
    await Promise.all(this.#underWay)
  }

  #start(delivery: DeliveryRecord, cut: AbortSignal, leave: AbortSignal): void {
    const delivering = this.#deliver(delivery, cut, leave).finally(() => {
      this.#underWay.delete(delivering)
      this.#ended.resolve()
      const [tenant] = this.#squeezed
      if (tenant === undefined) return
      this.#squeezed.delete(tenant)
      this.#pool.mayRunMore(tenant)
    })
    this.#underWay.add(delivering)
  }

  /** Tries it and settles it. Once `cut` ends nothing is posted, once `leave` ends nothing is written. */
  async #deliver(delivery: DeliveryRecord, cut: AbortSignal, leave: AbortSignal): Promise<void> {
    const beganAt = this.#deps.clock.monotonic()
    const tried = await attemptDelivery(this.#deps, delivery, cut)
    // What is dropped was not posted, and ends: a pause would keep the backlog of a disabled endpoint for weeks.
    if (tried.cause.kind !== 'dropped') this.#limiter.ended(delivery.endpoint, postOutcomeOf(tried), beganAt)
    const cause = cut.aborted ? givenBack(tried.cause) : tried.cause
    if (!(await this.#settle(delivery, cause, leave, tried.traceparent))) return
    this.#deps.onTried(delivery, cause, tried.traceparent)
    await this.#learn(tried)
  }

  /** Writes it, again and again until the store has it; another owner takes it up where it never has. */
  async #settle(
    delivery: DeliveryRecord,
    cause: DeliveryCause,
    leave: AbortSignal,
    traceparent: string | undefined,
  ): Promise<boolean> {
    const { clock, log } = this.#deps
    // The first failure tells of it: hundreds may be under way while the store is away.
    const onFailure = (error: unknown, attempt: number) => {
      if (attempt === 1) log.error('webhook.not_written', { delivery_id: delivery.id, ...traceIds(traceparent), error })
    }
    const options = { clock, waitMs: () => REST_MS, signal: leave, onFailure }
    return await retry(() => this.#pool.settle(delivery, cause), options).catch(() => false)
  }

  /** Keeps what the try says of its endpoint; where the store can't, the next try says it again. */
  async #learn({ cause, webhook }: AttemptResult): Promise<void> {
    if (!webhook || cause.kind !== 'tried') return
    const outcome = isDelivered(cause.attempt) ? 'delivered' : isGone(cause.attempt) ? 'gone' : 'failed'
    await recordHealth(this.#deps, webhook, outcome).catch(error =>
      this.#deps.log.error('webhook.health_not_written', { webhook_id: webhook.id, error }),
    )
  }
}

function postOutcomeOf({ cause, isPosted }: AttemptResult): PostOutcome {
  if (cause.kind !== 'tried' || !isPosted) return { failed: true, swift: undefined }
  const { status, ms } = cause.attempt
  return { failed: !isDelivered(cause.attempt), swift: status !== undefined && ms <= SWIFT_MS }
}

/** What was not tried because we stop is ready again at once. */
const givenBack = (cause: DeliveryCause): DeliveryCause =>
  cause.kind === 'not_tried' ? { kind: 'lease_ended', held: cause.held } : cause

const none: ReadonlySet<string> = new Set()
const nothing = { cancel: () => {} }
