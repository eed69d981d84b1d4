/** Webhooks: endpoints, what is delivered to them, and the archive of events. docs/decisions/webhooks.md */

import { type Cursors, createIds, createSecretCipher } from '@millhand/api'
import { BacklogService } from '@millhand/api/gen/millhand/webhook/v1/backlog_service_pb.ts'
import { EventService } from '@millhand/api/gen/millhand/webhook/v1/event_service_pb.ts'
import { WebhookService } from '@millhand/api/gen/millhand/webhook/v1/webhook_service_pb.ts'
import type { EventArchive, EventLog } from '@millhand/eventlog'
import { type PublicTopic, publicTopics } from '@millhand/eventlog/public-topics'
import type { Clock } from '@millhand/process'
import type { Routes } from '@millhand/rpc'
import type { Database } from '@millhand/store'
import { type Log, type Metrics, parseTraceContext, type Sample } from '@millhand/telemetry'
import { type Archiver, collectionArchiver, logArchiver } from './archive/archiver.ts'
import { type Archive, archiveSpec, type ReadableArchive } from './archived-event.ts'
import { readBacklog } from './backlog.ts'
import type { Dial } from './delivery/attempt.ts'
import { createDispatcher } from './delivery/dispatcher.ts'
import type { DeliveryCause } from './delivery/transition.ts'
import { countsAsTry, isDelivered } from './delivery/transition.ts'
import type { DeliveryRecord } from './delivery.ts'
import { type Deliveries, deliveriesSpec } from './delivery.ts'
import type { TargetFault } from './endpoint-url.ts'
import type { ConsumerLag } from './intake/consumer-lag.ts'
import { createConsumerLag } from './intake/consumer-lag.ts'
import { drainSpill } from './intake/fan-out.ts'
import { createIntake } from './intake/intake.ts'
import { type Offsets, offsetsSpec, openOffset } from './intake/offset.ts'
import { type SpilledEvent, spillSpec } from './intake/overflow-event.ts'
import { type Replays, replaysSpec } from './replay/replay.ts'
import { runReplays } from './replay/replay-worker.ts'
import { removeExpired } from './retention.ts'
import { getCallbackSecret, rotateCallbackSecret } from './rpc/callback-secret.ts'
import { createWebhook } from './rpc/create-webhook.ts'
import { deleteWebhook } from './rpc/delete-webhook.ts'
import { getBacklog } from './rpc/get-backlog.ts'
import { getDelivery } from './rpc/get-delivery.ts'
import { getEvent } from './rpc/get-event.ts'
import { listDeliveries } from './rpc/list-deliveries.ts'
import { listEvents } from './rpc/list-events.ts'
import { getWebhook, listWebhooks } from './rpc/read-webhooks.ts'
import { replayWebhook } from './rpc/replay-webhook.ts'
import { retryDelivery } from './rpc/retry-delivery.ts'
import { rotateWebhookSecret } from './rpc/rotate-webhook-secret.ts'
import { testWebhook } from './rpc/test-webhook.ts'
import { updateWebhook } from './rpc/update-webhook.ts'
import { callbackSecretsSpec, createCallbackSecrets } from './secret/callback-secret.ts'
import { createSigner } from './signature/signer.ts'
import { type Webhooks, webhooksSpec } from './webhook.ts'
import type { WebhookDeps } from './webhook-deps.ts'

export { keptMs as eventsKeptMs } from './retention.ts'

export interface WebhookOptions {
  readonly db: Database
  readonly events: Pick<EventLog, 'tail' | 'progress'>
  /** Of a log that can be searched; without it every event is stored in a collection. */
  readonly eventArchive?: EventArchive
  readonly dial: Dial
  readonly targetFault: TargetFault
  readonly cursors: Cursors
  /** 32 bytes, the same for all replicas: secrets are sealed with it. */
  readonly sealingKey: Uint8Array
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  /** Whether the lease still holds, by the clock: a process that stood still knows it before a timer of its fires. */
  readonly isOwner?: () => boolean
}

export function createWebhookService(options: WebhookOptions) {
  const { db, events, dial, targetFault, cursors, clock, log, metrics, isOwner = () => true } = options
  const webhooks: Webhooks = db.collection(webhooksSpec)
  const { archive, archiver, collection } = archiveOf(options)
  const offsets: Offsets = db.collection(offsetsSpec)
  const spill = db.collection<SpilledEvent>(spillSpec)
  const replays: Replays = db.collection(replaysSpec)
  const rows: Deliveries = db.collection(deliveriesSpec)
  const ids = createIds({ now: () => clock.now() })
  const sealer = createSecretCipher(options.sealingKey)
  const callbackSecrets = createCallbackSecrets({ callbackSecrets: db.collection(callbackSecretsSpec), sealer, clock })
  const signer = createSigner(sealer, callbackSecrets)
  const rest = { webhooks, archive, signer, dial, clock, log, ids, isOwner }
  const dispatcher = createDispatcher({
    deliveries: rows,
    ...rest,
    random: Math.random,
    onTried: deliveryMetrics(metrics),
  })
  const deliveries = dispatcher.store
  const fanOutDeps = { archive, webhooks, deliveries, spill, clock, log }
  const intake = createIntake({ ...fanOutDeps, archiver, events, topics, offsets })
  const lag = cachedFor(LOOK_MS, clock, createConsumerLag({ events, topics, offsets, clock }))
  const backlog = cachedFor(LOOK_MS, clock, () => readBacklog({ deliveries: rows, webhooks, spill, clock }))
  /** That of the latest `run`: what is under way at its end may take longer, when another replica is the owner. */
  let owning: AbortSignal | undefined
  registerGauges(metrics, { owns: () => owning?.aborted === false && isOwner(), lag, backlog })
  const deps: WebhookDeps = { webhooks, sealer, callbackSecrets, targetFault, cursors, clock, ids }

  return {
    routes(router: Routes): void {
      router.service(WebhookService, {
        createWebhook: createWebhook(deps),
        getWebhook: getWebhook(deps),
        listWebhooks: listWebhooks(deps),
        updateWebhook: updateWebhook(deps),
        deleteWebhook: deleteWebhook(deps),
        rotateWebhookSecret: rotateWebhookSecret(deps),
        testWebhook: testWebhook({ webhooks, archiver, deliveries, clock, ids }),
        replayWebhook: replayWebhook({ webhooks, replays, clock, ids }),
        listDeliveries: listDeliveries({ deliveries: rows, webhooks, cursors, clock }),
        getDelivery: getDelivery({ deliveries: rows, webhooks }),
        retryDelivery: retryDelivery({ deliveries, webhooks }),
        getCallbackSecret: getCallbackSecret(deps),
        rotateCallbackSecret: rotateCallbackSecret(deps),
      })
      router.service(EventService, {
        getEvent: getEvent({ archive }),
        listEvents: listEvents({ archive, cursors, clock }),
      })
      router.service(BacklogService, { getBacklog: getBacklog({ lag }) })
    },
    /** What is read of the event log, by the name of the reader. */
    topics: { webhooks: topics },
    /** How far the event log has been read, as `tail` takes it. What is behind it, nobody here reads again. */
    offset: async (): Promise<string> => (await openOffset(offsets)).position,
    /** What the owner does until the signal ends: hears of events, delivers them, and removes what was kept long enough. */
    async run(signal: AbortSignal): Promise<void> {
      owning = signal
      await Promise.all([
        intake.run(signal),
        drainSpill(fanOutDeps, signal),
        dispatcher.run(signal),
        runReplays({ replays, archive, webhooks, deliveries, clock, log }, signal),
        removeExpired({ archive: collection, deliveries: rows, replays, webhooks, clock, log }, signal),
      ]).finally(() => {
        owning = undefined
      })
    },
  }
}

interface WebhookArchive {
  readonly archive: ReadableArchive
  readonly archiver: Archiver
  /** Where events are stored, unless the log has them. */
  readonly collection: Archive | undefined
}

function archiveOf({ db, eventArchive, clock }: Pick<WebhookOptions, 'db' | 'eventArchive' | 'clock'>): WebhookArchive {
  if (eventArchive) return { archive: eventArchive, archiver: logArchiver(eventArchive), collection: undefined }
  const collection: Archive = db.collection(archiveSpec)
  return { archive: collection, archiver: collectionArchiver(collection, clock), collection }
}

/** How long what was counted is told, however often somebody asks. */
const LOOK_MS = 4_000

/** Those that have events: what webhooks can ask for, and `GET /v1/events` shows. */
export const topics = Object.values<PublicTopic>(publicTopics).flatMap(({ name, carries }) => (carries ? [name] : []))

/** Caches the answer of `ask` for `keptMs` milliseconds; concurrent callers share one call. */
function cachedFor<T>(keptMs: number, clock: Pick<Clock, 'monotonic'>, ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined
  let askedAt = Number.NEGATIVE_INFINITY
  return () => {
    if (answer === undefined || clock.monotonic() - askedAt >= keptMs) {
      askedAt = clock.monotonic()
      answer = ask()
    }
    return answer
  }
}

/** What the service tells of itself whenever metrics are read. */
interface Gauges {
  /** Whether this process is the owner. */
  readonly owns: () => boolean
  readonly lag: () => Promise<ConsumerLag>
  readonly backlog: () => Promise<readonly Sample[]>
}

function registerGauges(metrics: Pick<Metrics, 'observe'>, { owns, lag, backlog }: Gauges): void {
  metrics.observe(() => [{ name: 'millhand_webhook_owner', labels: {}, value: Number(owns()) }])
  metrics.observe(async () => {
    const { events, seconds } = await lag()
    return [
      { name: 'millhand_webhook_intake_behind_events', labels: {}, value: events },
      { name: 'millhand_webhook_intake_behind_seconds', labels: {}, value: seconds },
    ]
  })
  metrics.observe(backlog)
}

/** Counts what comes of tries, how long endpoints take, and what keeps us from trying. */
export function deliveryMetrics(metrics: Pick<Metrics, 'counter' | 'histogram'>) {
  const count = metrics.counter('millhand_webhook_tries_total')
  const took = metrics.histogram('millhand_webhook_try_duration_seconds')
  const putOff = metrics.counter('millhand_webhook_put_offs_total')
  return (delivery: DeliveryRecord, cause: DeliveryCause, traceparent: string | undefined): void => {
    const { mode } = delivery
    switch (cause.kind) {
      case 'tried': {
        const outcome = isDelivered(cause.attempt) ? 'succeeded' : 'failed'
        count({ mode, outcome })
        took({ mode, outcome }, cause.attempt.ms / 1000, parseTraceContext(traceparent))
        break
      }
      case 'not_tried':
        if (cause.reason !== 'aborted') putOff({ mode, reason: cause.reason })
        break
      case 'broke':
        if (countsAsTry(delivery)) count({ mode, outcome: 'failed' })
        else putOff({ mode, reason: 'internal_error' })
        break
      case 'dropped':
        count({ mode, outcome: 'cancelled' })
        break
      case 'spoiled':
        count({ mode, outcome: 'spoiled' })
        break
      default: // It was given back, since we stop.
    }
  }
}
