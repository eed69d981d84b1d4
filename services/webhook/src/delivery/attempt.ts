/** One attempt of a delivery: reads the event and the secret, posts the signed request, and returns the result. */

import { SecretUnreadable } from '@millhand/api'
import type { FencingToken } from '@millhand/lease'
import type { Clock } from '@millhand/process'
import { noAccount } from '@millhand/store'
import {
  attributes,
  type EventName,
  type Log,
  type Span,
  spans,
  startSpan,
  traceIds,
  traceparentOf,
} from '@millhand/telemetry'
import type { ArchivedEvent, ReadableArchive } from '../archived-event.ts'
import type { Attempt, DeliveryRecord } from '../delivery.ts'
import { jsonMembers } from '../json-members.ts'
import type { SignedHeaders, Signer } from '../signature/signer.ts'
import type { WebhookRecord, Webhooks } from '../webhook.ts'
import { retryAfterMs } from './retry-schedule.ts'
import type { DeliveryCause, LocalFailure } from './transition.ts'

type PostResult =
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly retryAfter?: string
      readonly excerpt: string
      readonly ms: number
    }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string; readonly ms: number }

/** What of `libs/dial` is needed. It never rejects. */
export interface Dial {
  post(
    request: {
      readonly url: string
      readonly headers: Readonly<Record<string, string>>
      readonly body: Uint8Array
      readonly plainHttp: boolean
      readonly partition: string
    },
    signal: AbortSignal,
  ): Promise<PostResult>
}

export interface AttemptDeps {
  readonly webhooks: Pick<Webhooks, 'get'>
  readonly archive: Pick<ReadableArchive, 'get'>
  readonly signer: Signer
  readonly dial: Dial
  readonly clock: Clock
  readonly log: Log
  /** Whether this process still owns the deliveries, by the clock. */
  readonly isOwner: () => boolean
}

export interface AttemptResult {
  readonly cause: DeliveryCause
  /** Whether it was posted, or that was begun: else nothing is known of the endpoint. */
  readonly isPosted?: true
  /** The endpoint as it was tried; a callback has none. */
  readonly webhook?: WebhookRecord | undefined
  /** The trace of the event, where it has one. */
  readonly traceparent?: string | undefined
}

/** Tries a delivery that is leased. Never rejects; once the signal ends, it ends soon. */
export async function attemptDelivery(
  deps: AttemptDeps,
  delivery: DeliveryRecord,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const held: FencingToken = { lease_id: delivery.lease_id, attempt: delivery.attempt }
  const [at, beganAt] = [deps.clock.now(), deps.clock.monotonic()]
  let traceparent: string | undefined
  try {
    const { tenant, endpoint, callback_url, event_id } = delivery
    const webhook = callback_url === undefined ? await deps.webhooks.get(tenant, endpoint) : undefined
    const url = callback_url ?? (webhook?.status === 'enabled' ? webhook.url : undefined)
    if (url === undefined) return { cause: { kind: 'dropped', held } }
    const event = await deps.archive.get(tenant, event_id)
    traceparent = event?.traceparent
    const request = await signRequest(deps, delivery, event, webhook)
    // A secret can come back: with the operator's right key, or by a rotation. What an event is stays.
    if ('error' in request)
      return { cause: { kind: request.error === UNREADABLE ? 'tried' : 'spoiled', held, attempt: request } }
    // After a stall the next owner has taken it up, or will.
    if (!deps.isOwner()) return { cause: { kind: 'not_tried', held, reason: 'aborted' } }
    const cause = await post(deps, delivery, { url, traceparent, ...request }, signal)
    return { cause, isPosted: true, webhook, traceparent }
  } catch (error) {
    deps.log.error('webhook.not_tried', { delivery_id: delivery.id, ...traceIds(traceparent), error })
    if (!(await storeAnswers(deps))) return { cause: { kind: 'not_tried', held, reason: 'store_away' } }
    const ms = Math.round(deps.clock.monotonic() - beganAt)
    const attempt = { at, ms, error: 'internal_error', response: 'It failed inside Millhand.' }
    return { cause: { kind: 'broke', held, attempt } }
  }
}

/** Whether it is this delivery that can't be read, or any. */
async function storeAnswers({ webhooks }: AttemptDeps): Promise<boolean> {
  try {
    await webhooks.get(noAccount, 'none')
    return true
  } catch {
    return false
  }
}

interface SignedRequest {
  readonly body: string
  readonly headers: SignedHeaders
}

interface Post extends SignedRequest {
  readonly url: string
  readonly traceparent: string | undefined
}

/** What is posted; or, where that can't be made, why. */
async function signRequest(
  { signer, clock, log }: AttemptDeps,
  { tenant, id, endpoint, event_id }: DeliveryRecord,
  event: ArchivedEvent | undefined,
  webhook: WebhookRecord | undefined,
): Promise<SignedRequest | (Attempt & { error: string })> {
  const now = clock.now()
  const unsigned = (eventName: EventName, error: string, response: string) => {
    log.error(eventName, { delivery_id: id, endpoint, event_id, ...traceIds(event?.traceparent), reason: error })
    return { at: now, ms: 0, error, response }
  }
  if (!event) return unsigned('webhook.spoiled', 'event_missing', 'The event is no longer kept.')
  const body = payloadOf(event.value)
  if (body === undefined) return unsigned('webhook.spoiled', 'event_unreadable', 'The event can not be read.')
  const message = { id: event_id, body }
  try {
    const headers = webhook
      ? signer.signWebhook(webhook, message, now)
      : await signer.signCallback(tenant, message, now)
    return { body, headers }
  } catch (error) {
    if (!(error instanceof SecretUnreadable)) throw error
    return unsigned('webhook.unsigned', UNREADABLE, 'The secret can not be read. Rotate it.')
  }
}

const UNREADABLE = 'secret_unreadable'

async function post(
  { dial, clock }: AttemptDeps,
  delivery: DeliveryRecord,
  { url, headers, body, traceparent }: Post,
  signal: AbortSignal,
): Promise<DeliveryCause> {
  const { lease_id, attempt: number, endpoint, mode } = delivery
  const held: FencingToken = { lease_id, attempt: number }
  const at = clock.now()
  const span = tryingSpan(delivery, traceparent)
  const trace = span === undefined ? traceparent : traceparentOf(span.context)
  const answer = await dial.post(
    {
      url,
      headers: {
        ...headers,
        'content-type': 'application/json',
        'user-agent': 'Millhand-Webhooks/1',
        ...(trace !== undefined && { traceparent: trace }),
      },
      body: Buffer.from(body),
      plainHttp: mode === 'test',
      partition: endpoint,
    },
    signal,
  )
  endTrying(span, answer)
  const ms = Math.round(answer.ms)
  if (answer.kind === 'failed') {
    if (isLocalFailure(answer.code)) return { kind: 'not_tried', held, reason: answer.code }
    return { kind: 'tried', held, attempt: { at, ms, error: answer.code, response: answer.message } }
  }
  const { status, excerpt: response, retryAfter } = answer
  const asked =
    retryAfter !== undefined && retryAfterStatuses.has(status) ? retryAfterMs(retryAfter, clock.now()) : undefined
  return { kind: 'tried', held, attempt: { at, ms, status, response }, retryAfterMs: asked }
}

/** A client's span, as OpenTelemetry has it for HTTP; the address is the customer's, and may hold a secret. */
const tryingSpan = ({ id, event_type, tried }: DeliveryRecord, traceparent: string | undefined): Span | undefined =>
  startSpan(spans.webhook, traceparent, {
    kind: 'client',
    attributes: {
      [attributes.requestMethod]: 'POST',
      [attributes.deliveryId]: id,
      [attributes.eventType]: event_type,
      [attributes.attempt]: tried + 1,
    },
  })

function endTrying(span: Span | undefined, answer: PostResult): void {
  if (span === undefined) return
  if (answer.kind === 'failed') {
    span.end(answer.code)
    return
  }
  span.set({ [attributes.statusCode]: answer.status })
  span.end(answer.status >= 400 ? String(answer.status) : undefined)
}

/** Whether a reason of `libs/dial` says nothing of the endpoint: it is ours for certain. */
const isLocalFailure = (code: string): code is LocalFailure => localFailures.has(code)
const localFailures: ReadonlySet<string> = new Set<LocalFailure>(['dns_unavailable', 'no_sockets', 'aborted'])

/** Answers whose `Retry-After` counts: contract, section 9. */
const retryAfterStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504])

/**
 * The event's text as it was written, with `timestamp` for `created_at`, as Standard Webhooks has it: not read and
 * written again, which would change numbers. Undefined for what is not the text of an event.
 */
export function payloadOf(event: string): string | undefined {
  for (const { key } of jsonMembers(event)) {
    if (event.slice(key.start, key.end) !== '"created_at"') continue
    return `${event.slice(0, key.start)}"timestamp"${event.slice(key.end)}`
  }
  return undefined
}
