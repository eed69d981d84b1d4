/** Deliveries from a database to real endpoints, at a time that stands still until it is told to go on. */
import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createIds, createSecretCipher } from '@millhand/api'
import { createDialer, createResolver, parseRanges } from '@millhand/dial'
import { type ManualClock, manualClock, systemClock } from '@millhand/process'
import type { Database } from '@millhand/store'
import { createLog, createMetrics } from '@millhand/telemetry'
import { type Archive, type ArchivedEvent, archiveSpec } from '../archived-event.ts'
import { type Deliveries, type DeliveryRecord, type DeliveryStatus, deliveriesSpec } from '../delivery.ts'
import { callbackSecretsSpec, createCallbackSecrets } from '../secret/callback-secret.ts'
import { firstSecret } from '../secret/stored-secret.ts'
import { createSigner } from '../signature/signer.ts'
import { type WebhookRecord, type Webhooks, webhooksSpec } from '../webhook.ts'
import { deliveryMetrics } from '../webhook-service.ts'
import type { Dial } from './attempt.ts'
import { aWebhook, noon } from './delivery.fixture.ts'
import { deliveryId } from './delivery-id.ts'
import { createDispatcher, type Dispatcher } from './dispatcher.ts'
import { newDelivery, ranks } from './new-delivery.ts'
import { openReceiver } from './receiver.fixture.ts'

export type Deployment = Awaited<ReturnType<typeof openDeployment>>

export async function openDeployment(db: Database) {
  const endpoints: Webhooks = db.collection(webhooksSpec)
  /** The types of the events that were written with endpoints. */
  const told: string[] = []
  const webhooks: Webhooks = {
    get: (...words) => endpoints.get(...words),
    find: (...words) => endpoints.find(...words),
    count: (...words) => endpoints.count(...words),
    async write(change) {
      const result = await endpoints.write(change)
      if (result.kind === 'written') told.push(...change.events.map(({ type }) => type))
      return result
    },
  }
  const logged: string[] = []
  /** The traces that these lines name. */
  const traced = new Set<string>()
  const metrics = createMetrics()
  const onTried = deliveryMetrics(metrics)
  const archive: Archive = db.collection(archiveSpec)
  const deliveries: Deliveries = db.collection(deliveriesSpec)
  const clock: ManualClock = manualClock(noon)
  const receiver = await openReceiver()
  const resolver = createResolver({ clock: systemClock })
  const dialer = createDialer({ allow: parseRanges('127.0.0.0/8'), resolver, clock: systemClock })
  const sealer = createSecretCipher(Buffer.alloc(32, 2))
  const callbackSecrets = createCallbackSecrets({ callbackSecrets: db.collection(callbackSecretsSpec), sealer, clock })
  const newSecret = (id: string, tenant = 'acct_1/live') =>
    firstSecret(sealer, { tenant, id }, 'v1', { key: 'key_1', operation: undefined })
  const stops: (() => Promise<void>)[] = []

  /** A replica that owns the deliveries, or takes itself for their owner. */
  function own(
    otherwise: {
      deliveries?: Partial<Deliveries>
      webhooks?: Partial<Webhooks>
      dial?: Dial
      isOwner?: () => boolean
    } = {},
  ): {
    dispatcher: Dispatcher
    stop(): Promise<void>
  } {
    const rows: Deliveries = {
      get: (...words) => deliveries.get(...words),
      find: (...words) => deliveries.find(...words),
      count: (...words) => deliveries.count(...words),
      write: change => deliveries.write(change),
      ...otherwise.deliveries,
    }
    const dispatcher = createDispatcher({
      deliveries: rows,
      webhooks: { ...webhooks, ...otherwise.webhooks },
      archive,
      signer: createSigner(sealer, callbackSecrets),
      dial: otherwise.dial ?? dialer,
      clock,
      log: createLog({
        level: 'error',
        write(line) {
          const { event, trace_id } = JSON.parse(line)
          logged.push(event)
          if (trace_id !== undefined) traced.add(trace_id)
        },
      }),
      ids: createIds({ now: () => clock.now() }),
      random: () => 0.5,
      isOwner: otherwise.isOwner ?? (() => true),
      onTried,
    })
    const stopping = new AbortController()
    const running = dispatcher.run(stopping.signal)
    const stop = async () => {
      stopping.abort()
      await within(running)
    }
    stops.push(stop)
    return { dispatcher, stop }
  }

  /** Until it is so, in turns of the event loop; with `ms` that much time passes in each. */
  async function until(isSo: () => boolean | Promise<boolean>, ms = 0): Promise<void> {
    const giveUpAt = performance.now() + 300_000
    while (!(await isSo())) {
      if (performance.now() > giveUpAt) assert.fail('it has not come to that')
      await clock.advance(ms)
      await nextTurn()
    }
  }

  /** Until it has ended, while time passes. */
  async function within(ending: Promise<void>): Promise<void> {
    let hasEnded = false
    const end = () => {
      hasEnded = true
    }
    ending.then(end, end)
    await until(() => hasEnded, 100)
    await ending
  }

  const rowOf = async (event: ArchivedEvent, endpoint: string): Promise<DeliveryRecord> => {
    const found = await deliveries.get(event.tenant, deliveryId(event.id, endpoint))
    assert.ok(found)
    return found
  }

  return {
    ...{ told, logged, traced, metrics, webhooks, archive, deliveries, clock, receiver, dialer, own, until, rowOf },

    /** An endpoint of the receiver's, at the path of its id. */
    async endpoint(id: string, more: Partial<WebhookRecord> = {}): Promise<WebhookRecord> {
      const webhook = aWebhook(id, { ...newSecret(id, more.tenant), url: receiver.url(id), ...more })
      await webhooks.write({ kind: 'insert', document: webhook, events: [] })
      return webhook
    },
    /** Gives an endpoint, as it was made, a secret that can be read. */
    async seal(webhook: WebhookRecord) {
      const document = { ...webhook, ...newSecret(webhook.id, webhook.tenant) }
      await webhooks.write({ kind: 'replace', version: 1, document, events: [] })
    },
    keep: async (events: readonly ArchivedEvent[]) =>
      void (await Promise.all(events.map(document => archive.write({ kind: 'insert', document, events: [] })))),
    send: async ({ dispatcher: { store } }: { dispatcher: Dispatcher }, events: readonly ArchivedEvent[], to: string) =>
      void (await Promise.all(
        events.map(event => store.insert(newDelivery(event, { endpoint: to }, ranks.first), [])),
      )),
    untilStatus: async (event: ArchivedEvent, endpoint: string, status: DeliveryStatus, ms = 0) => {
      await until(async () => (await rowOf(event, endpoint)).status === status, ms)
      return await rowOf(event, endpoint)
    },
    async close() {
      for (const stop of stops) await stop()
      await dialer.close()
      resolver.close()
      await receiver.close()
    },
  }
}
