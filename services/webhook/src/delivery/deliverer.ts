/** Delivers for a mode: claims deliveries, as many as it has free slots, attempts them, and settles the result of each. */

import type { Ids, KeyMode } from '@millhand/api'
import { type FlowIndex, Pool, type WorkStore } from '@millhand/lease'
import { retry } from '@millhand/process'
import type { DeliveryRecord } from '../delivery.ts'
import type { Webhooks } from '../webhook.ts'
import { type AttemptDeps, type AttemptResult, attemptDelivery } from './attempt.ts'
import { createConcurrencyLimiter, type PostOutcome } from './concurrency-limiter.ts'
import { recordHealth } from './endpoint-health.ts'
import { poolOf } from './new-delivery.ts'
import { type DeliveryCause, isDelivered, isGone } from './transition.ts'

export interface DelivererDeps extends AttemptDeps {
  readonly store: WorkStore<DeliveryRecord, DeliveryCause>
  readonly webhooks: Webhooks
  readonly ids: Ids
  /** Hears what came of each, as it was before, once that is written. */
  readonly onTried: (delivery: DeliveryRecord, cause: DeliveryCause) => void
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

export function createDeliverer(deps: DelivererDeps, mode: KeyMode, atOnce: number) {
  const { store, clock, log } = deps
  const name = poolOf(mode)
  const limiter = createConcurrencyLimiter(clock, endpoint => pool.mayRunMore(endpoint))
  /** How many are for new ones, and how many for slow ones: what is left is for those that answer swiftly. */
  const lane = (atOnce * 3) / 8
  const underWay = new Set<Promise<void>>()
  /** Tenants that might have more once others have fewer. */
  const squeezed = new Set<string>()
  /** A quarter, and no more than are free: those whose endpoints hang all at once leave some to the others. */
  const maxOf = (tenant: string) => {
    const free = Math.max(atOnce - underWay.size, 1)
    if (free < atOnce / 4) squeezed.add(tenant)
    return Math.min(free, atOnce / 4)
  }
  const pool = new Pool<DeliveryRecord, DeliveryCause>({
    name,
    work: store,
    clock,
    newLeaseId: () => crypto.randomUUID(),
    flows: endpoints,
    share: () => share,
    caps: ({ flow, tenant }) => {
      const kind = limiter.kind(flow)
      const own = [
        { key: flow, maxRunning: limiter.limit(flow) },
        { key: tenant, maxRunning: maxOf(tenant) },
      ]
      if (kind === 'swift') return own
      return [...own, { key: kind, maxRunning: lane }, { key: `${tenant} ${kind}`, maxRunning: lane / 8 }]
    },
    ownerClaims: true,
    window: WINDOW,
    onError: error => log.error('pool.sweep_failed', { pool: name, error }),
  })

  /** Tries it and settles it. Once `cut` ends nothing is posted, once `leave` ends nothing is written. */
  const deliver = async (delivery: DeliveryRecord, cut: AbortSignal, leave: AbortSignal) => {
    const beganAt = clock.monotonic()
    const tried = await attemptDelivery(deps, delivery, cut)
    // What is dropped was not posted, and ends: a pause would keep the backlog of a disabled endpoint for weeks.
    if (tried.cause.kind !== 'dropped') limiter.ended(delivery.endpoint, postOutcomeOf(tried), beganAt)
    const cause = cut.aborted ? givenBack(tried.cause) : tried.cause
    if (!(await settle(delivery, cause, leave))) return
    deps.onTried(delivery, cause)
    await learn(tried)
  }

  /** Writes it, again and again until the store has it; another owner takes it up where it never has. */
  const settle = async (delivery: DeliveryRecord, cause: DeliveryCause, leave: AbortSignal): Promise<boolean> => {
    // The first failure tells of it: hundreds may be under way while the store is away.
    const onFailure = (error: unknown, attempt: number) => {
      if (attempt === 1) log.error('webhook.not_written', { delivery_id: delivery.id, error })
    }
    const options = { clock, waitMs: () => REST_MS, signal: leave, onFailure }
    return await retry(() => pool.settle(delivery, cause), options).catch(() => false)
  }

  /** Keeps what the try says of its endpoint; where the store can't, the next try says it again. */
  const learn = async ({ cause, webhook }: AttemptResult) => {
    if (!webhook || cause.kind !== 'tried') return
    const outcome = isDelivered(cause.attempt) ? 'delivered' : isGone(cause.attempt) ? 'gone' : 'failed'
    await recordHealth(deps, webhook, outcome).catch(error =>
      log.error('webhook.health_not_written', { webhook_id: webhook.id, error }),
    )
  }

  const claimAll = async (signal: AbortSignal, cut: AbortSignal, leave: AbortSignal) => {
    let ended = Promise.withResolvers<void>()
    const start = (delivery: DeliveryRecord) => {
      const delivering = deliver(delivery, cut, leave).finally(() => {
        underWay.delete(delivering)
        ended.resolve()
        const [tenant] = squeezed
        if (tenant === undefined) return
        squeezed.delete(tenant)
        pool.mayRunMore(tenant)
      })
      underWay.add(delivering)
    }
    while (!signal.aborted) {
      const room = atOnce - underWay.size
      if (room === 0) {
        ended = Promise.withResolvers()
        await ended.promise
        continue
      }
      try {
        // Half of it: how many a tenant may have is asked before any of them is under way.
        const request = { executorId: 'deliverer', runs: Math.ceil(room / 2), busy: none, waitMs: WAIT_MS }
        const { runs } = await pool.claim(request, signal)
        for (const { work } of runs) work.forEach(start)
      } catch (error) {
        log.error('webhook.not_claimed', { pool: name, error })
        await clock.sleep(REST_MS, signal).catch(() => {})
      }
    }
    await Promise.all(underWay)
  }

  return {
    changed: (before: DeliveryRecord | undefined, after: DeliveryRecord) => pool.changed(before, after),

    failing: (endpoint: string) => limiter.failing(endpoint),

    /** Until the signal ends and nothing is under way any more: what is then goes back after a second. */
    async run(signal: AbortSignal): Promise<void> {
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
        await Promise.all([pool.run(signal), claimAll(signal, cutting.signal, leaving.signal)])
      } finally {
        signal.removeEventListener('abort', stop)
        for (const timer of [cut, leave]) timer.cancel()
        limiter.clear()
        squeezed.clear()
      }
    },
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
