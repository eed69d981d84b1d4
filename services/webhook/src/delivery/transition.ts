/** The life of a delivery. */
import {
  backoffMs,
  countedByOwner,
  type FencingToken,
  type LeaseCause,
  noDueTime,
  type Refusal,
  refuse,
} from '@millhand/lease'
import type { Attempt, DeliveryRecord, DeliveryStatus } from '../delivery.ts'
import { isGone } from './endpoint-disabling.ts'
import { dueAt, ranks } from './new-delivery.ts'
import { waitAfter } from './retry-schedule.ts'

export type DeliveryCause =
  | LeaseCause
  /** A try has ended, with an answer or without one; `retryAfterMs` is how long the answer asks us to wait. */
  | {
      readonly kind: 'tried'
      readonly held: FencingToken
      readonly attempt: Attempt
      readonly retryAfterMs?: number | undefined
    }
  /** It could not be tried, for a reason that is ours for certain: that is no try. */
  | { readonly kind: 'not_tried'; readonly held: FencingToken; readonly reason: LocalFailure }
  /** It failed inside Millhand, and nobody knows why. `attempt` is kept of it once that counts as a try. */
  | { readonly kind: 'broke'; readonly held: FencingToken; readonly attempt: Attempt }
  /** Its endpoint is disabled or gone. */
  | { readonly kind: 'dropped'; readonly held: FencingToken }
  /** It can never be tried: its event can't be read. */
  | { readonly kind: 'spoiled'; readonly held: FencingToken; readonly attempt: Attempt }
  /** A customer asks for a try at once. `operation` is the same where the same request comes again. */
  | { readonly kind: 'retried'; readonly operation?: string | undefined }
  /** A replay comes to it. */
  | { readonly kind: 'replayed' }

/** What was away; `aborted` where it is we who stop. */
export type LocalFailure = 'dns_unavailable' | 'no_sockets' | 'store_away' | 'aborted'

/** The delivery after `cause`, or why it can't be. Pure but for the jitter, which `random` gives: from 0 up to 1. */
export const deliveryTransition =
  ({ random }: { readonly random: () => number }) =>
  (delivery: DeliveryRecord, cause: DeliveryCause, now: number): DeliveryRecord | Refusal => {
    if ('held' in cause && !holds(delivery, cause.held)) return refuse('stale_lease')
    switch (cause.kind) {
      case 'claimed':
        return delivery.status === 'queued' ? claimed(delivery, cause.lease_id) : refuse('not_queued')
      case 'finished': // The pool itself says so of what is given back, and of nothing else.
      case 'lease_ended':
        return ready(delivery, now)
      case 'due':
        return delivery.status === 'waiting' && delivery.due_at <= now ? ready(delivery, now) : refuse('not_due')
      case 'tried':
        return tried({ ...delivery, put_offs: 0 }, cause.attempt, cause.retryAfterMs ?? 0, now, random())
      case 'not_tried':
        return putOff(delivery, now, random())
      case 'broke':
        if (!countsAsTry(delivery)) return putOff(delivery, now, random())
        return tried({ ...delivery, put_offs: delivery.put_offs + 1 }, cause.attempt, 0, now, random())
      case 'dropped':
        return ended(delivery, 'cancelled', now)
      case 'spoiled':
        return ended(delivery, 'failed', now, withAttempt(delivery, cause.attempt))
      case 'retried':
        if (cause.operation !== undefined && cause.operation === delivery.retried_by) return refuse('repeated')
        if (delivery.status === 'running') return refuse('running')
        return { ...begunAnew(delivery, ranks.first, cause.operation, now), ...dueAt(now) }
      case 'replayed':
        return hasEnded(delivery) ? begunAnew(delivery, ranks.replay, delivery.retried_by, now) : refuse('not_ended')
      case 'backoff_ended':
        return refuse('no_backoff') // Its waits have a time of day.
      default:
        return exhaustive(cause)
    }
  }

/** From which time in a row on what nobody knows the reason of counts as a try: it may go on for ever. */
const COUNTS_FROM = 3
const MAX_ATTEMPTS_KEPT = 20

export const isDelivered = ({ status = 0 }: Attempt): boolean => status >= 200 && status <= 299

const alive: ReadonlySet<DeliveryStatus> = new Set(['queued', 'waiting', 'running'])
const hasEnded = ({ status }: DeliveryRecord): boolean => !alive.has(status)

const holds = (delivery: DeliveryRecord, held: FencingToken): boolean =>
  delivery.status === 'running' && delivery.lease_id === held.lease_id && delivery.attempt === held.attempt

const claimed = (delivery: DeliveryRecord, lease_id: string): DeliveryRecord =>
  next(delivery, 'running', { lease_id, attempt: delivery.attempt + 1, due_at: countedByOwner })

function tried(
  delivery: DeliveryRecord,
  attempt: Attempt,
  askedMs: number,
  now: number,
  random: number,
): DeliveryRecord {
  const tries = delivery.tries + 1
  const patch = { ...withAttempt(delivery, attempt), tries, tried: delivery.tried + 1 }
  if (isDelivered(attempt)) return ended(delivery, 'succeeded', now, patch)
  const wait = isGone(attempt) ? undefined : waitAfter(tries, random)
  if (wait === undefined) return ended(delivery, 'failed', now, patch)
  const rank = Math.max(delivery.rank, ranks.later)
  return next(delivery, 'waiting', { ...patch, rank, ...dueAt(now + Math.max(wait, askedMs)) })
}

/** Whether it counts as a try that this delivery breaks. */
export const countsAsTry = ({ put_offs }: DeliveryRecord): boolean => put_offs + 1 >= COUNTS_FROM

function putOff(delivery: DeliveryRecord, now: number, random: number): DeliveryRecord {
  const put_offs = delivery.put_offs + 1
  return next(delivery, 'waiting', { put_offs, ...dueAt(now + backoffMs(put_offs, random)) })
}

const begunAnew = (
  delivery: DeliveryRecord,
  rank: number,
  retried_by: string | undefined,
  now: number,
): DeliveryRecord => ready(delivery, now, { rank, retried_by, tries: 0, put_offs: 0, finished_at: undefined })

const ready = (delivery: DeliveryRecord, now: number, patch: Patch = {}): DeliveryRecord =>
  next(delivery, 'queued', { ...patch, ready_at: now, due_at: noDueTime })

const ended = (delivery: DeliveryRecord, status: DeliveryStatus, now: number, patch: Patch = {}): DeliveryRecord =>
  next(delivery, status, { ...patch, due_at: noDueTime, finished_at: now })

const withAttempt = ({ attempts }: DeliveryRecord, attempt: Attempt): Patch => ({
  attempts: [...attempts, attempt].slice(-MAX_ATTEMPTS_KEPT),
})

type Patch = Partial<DeliveryRecord>

const next = (delivery: DeliveryRecord, status: DeliveryStatus, patch: Patch): DeliveryRecord => ({
  ...delivery,
  lease_id: '',
  ...patch,
  status,
  resource_version: delivery.resource_version + 1,
})

function exhaustive(value: never): never {
  throw new Error(`not handled: ${JSON.stringify(value)}`)
}
