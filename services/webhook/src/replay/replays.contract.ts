/** What replays and test events promise, on every database. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt'
import { createIds } from '@millhand/api'
import { DeliveryStatus } from '@millhand/api/gen/millhand/webhook/v1/delivery_pb.ts'
import { WebhookStatus } from '@millhand/api/gen/millhand/webhook/v1/webhook_pb.ts'
import { createWorkStore, type WorkStore } from '@millhand/lease'
import type { Database } from '@millhand/store'
import { createLog } from '@millhand/telemetry'
import { microseconds } from '../archive/arrivals.ts'
import { type Archive, type ArchivedEvent, archiveSpec } from '../archived-event.ts'
import { newDelivery, ranks } from '../delivery/new-delivery.ts'
import { type DeliveryCause, deliveryTransition } from '../delivery/transition.ts'
import { type Deliveries, type DeliveryRecord, deliveriesSpec } from '../delivery.ts'
import { type Happening, happening } from '../intake/happening.fixture.ts'
import { as, type Endpoints, failure, noon, openEndpoints } from '../webhook.fixture.ts'
import { type WebhookRecord, type Webhooks, webhooksSpec } from '../webhook.ts'
import { type ReplayRecord, type Replays, replaysSpec } from './replay.ts'
import { type ReplayingDeps, workOffReplays } from './replaying.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const who = as('acct_a')
const ids = createIds()
const operation = () => ids('req').slice('req_'.length)

export interface OpenedStore {
  readonly db: Database
  close(): Promise<void>
}

export function describeReplays(name: string, open: () => Promise<OpenedStore>) {
  describe(`${name}: replays`, () => {
    let store: OpenedStore
    let at: Endpoints
    let archive: Archive
    let rows: Deliveries
    let replays: Replays
    let work: WorkStore<DeliveryRecord, DeliveryCause>
    let deps: ReplayingDeps
    let logged: string[]
    beforeEach(async () => {
      store = await open()
      const { db } = store
      at = openEndpoints(db)
      archive = db.collection<ArchivedEvent, keyof typeof archiveSpec.indexes>(archiveSpec)
      rows = db.collection<DeliveryRecord, keyof typeof deliveriesSpec.indexes>(deliveriesSpec)
      replays = db.collection<ReplayRecord, keyof typeof replaysSpec.indexes>(replaysSpec)
      const webhooks: Webhooks = db.collection<WebhookRecord, keyof typeof webhooksSpec.indexes>(webhooksSpec)
      const { clock } = at
      const machine = { transition: deliveryTransition({ random: () => 0 }), events: () => [] }
      work = createWorkStore({ collection: rows, machine, clock, onChanged: () => {} })
      logged = []
      const log = { ...createLog({ level: 'error' }), error: (event: string) => void logged.push(event) }
      deps = { replays, archive, webhooks, deliveries: work, clock, log }
    })
    afterEach(() => store.close())

    const make = async (events = ['task.*']) =>
      (await at.webhooks.createWebhook({ url: 'https://example.com/', events }, who)).id

    /** An event that is in the archive; it came when it happened where nothing else is said. */
    async function archived(said: Partial<Happening & { came: number }> = {}): Promise<ArchivedEvent> {
      const { came = said.at ?? noon - HOUR_MS, account = 'acct_a', mode = 'live' } = said
      const { id, type, key: resource_id, time: created_at, value } = happening({ at: came, ...said })
      const tenant = `${account}/${mode}`
      const event = { tenant, id, version: 1, type, resource_id, created_at, value, arrived: microseconds(came) }
      await archive.write({ kind: 'insert', document: event, events: [] })
      return event
    }

    const ask = (id: string, more: { since?: number; until?: number; types?: string[]; operation?: string } = {}) =>
      at.webhooks.replayWebhook(
        {
          ...{ id, types: more.types ?? [], since: timestampFromMs(more.since ?? noon - 2 * HOUR_MS) },
          ...(more.until !== undefined && { until: timestampFromMs(more.until) }),
        },
        as('acct_a', { operation: more.operation }),
      )

    /** Works off what is open, as the owner does, until nothing is. */
    async function workOff(more: Partial<ReplayingDeps> = {}) {
      const ending = new AbortController()
      const running = workOffReplays({ ...deps, ...more }, ending.signal)
      while ((await replays.count('open', { equals: [] }, 1)) > 0) await at.clock.advance(1_000)
      ending.abort()
      await running
    }

    const delivered = async () =>
      (await rows.find('primary', { equals: [], limit: 10_000 }))
        .map(({ event_id, endpoint, status, rank }) => `${event_id} ${endpoint} ${status} ${rank}`)
        .sort()
    const queued = (id: string, ...events: ArchivedEvent[]) => events.map(event => `${event.id} ${id} queued 2`).sort()

    it('deliver what happened in the time and is asked for, behind all else', async () => {
      const id = await make(['task.succeeded', 'batch.*'])
      const first = await archived({ at: noon - 2 * HOUR_MS })
      const late = await archived({ at: noon - 2 * HOUR_MS, came: noon - 60_000 })
      const batch = await archived({ type: 'batch.completed' })
      const last = await archived({ at: noon - HOUR_MS })
      await archived({ at: noon - 2 * HOUR_MS - 1 })
      await archived({ at: noon - HOUR_MS + 1 })
      await archived({ type: 'task.failed' })
      await archived({ type: 'webhook.test' })
      await archived({ mode: 'test' })
      await archived({ account: 'acct_b' })
      const answer = await ask(id, { until: noon - HOUR_MS })
      assert.equal(answer.webhookId, id)
      assert.deepEqual(
        [answer.since, answer.until].map(time => time && timestampMs(time)),
        [noon - 2 * HOUR_MS, noon - HOUR_MS],
      )
      await workOff()
      assert.deepEqual(await delivered(), queued(id, first, late, batch, last))
    })

    it('deliver only the types that are named, and nothing that the webhook does not ask for', async () => {
      const id = await make(['task.*'])
      const failed = await archived({ type: 'task.failed' })
      await archived({ type: 'task.queued' })
      await archived({ type: 'batch.completed' })
      assert.deepEqual((await ask(id, { types: ['task.failed', 'batch.*'] })).types, ['task.failed', 'batch.*'])
      await workOff()
      assert.deepEqual(await delivered(), queued(id, failed))
    })

    it('begin anew what has ended, and leave what still waits or runs', async () => {
      const id = await make()
      const [succeeded, failed, waits, runs] = [await archived(), await archived(), await archived(), await archived()]
      const insert = (event: ArchivedEvent, more: Partial<DeliveryRecord> = {}) =>
        work.insert({ ...newDelivery(event, { endpoint: id }, ranks.first), ...more }, [])
      await insert(succeeded, { status: 'succeeded', tries: 1, finished_at: 1 })
      await insert(failed, { status: 'failed', tries: 12, finished_at: 1 })
      await insert(waits)
      await insert(runs, { status: 'running', lease_id: 'l' })
      await ask(id)
      await workOff()
      const kept = [`${waits.id} ${id} queued 0`, `${runs.id} ${id} running 0`]
      assert.deepEqual(await delivered(), [...queued(id, succeeded, failed), ...kept].sort())
      const [row] = await rows.find('by_endpoint', { equals: ['acct_a/live', id], limit: 1 })
      assert.deepEqual([row?.event_id, row?.tries, row?.finished_at], [succeeded.id, 0, undefined])
    })

    it('come to their end over pages, and whenever their owner is killed', async () => {
      const id = await make()
      const events: ArchivedEvent[] = []
      for (let n = 0; n < 450; n++) events.push(await archived({ at: noon - HOUR_MS + Math.floor(n / 3) }))
      await ask(id)
      for (const writes of [0, 1, 150, 49, 0, 1, 200, 1, 50]) await killedAfter(deps, writes)
      const [half] = await replays.find('open', { equals: [], limit: 1 })
      assert.equal(half?.place?.id, events[399]?.id)
      await workOff()
      assert.deepEqual(await delivered(), queued(id, ...events))
      assert.equal((await replays.find('by_end', { equals: [], limit: 9 })).length, 1)
    })

    it('take turns: a long one delays no other', async () => {
      const [long, short] = [await make(['task.*']), await make(['batch.*'])]
      for (let n = 0; n < 450; n++) await archived({ at: noon - 1.5 * HOUR_MS })
      await archived({ type: 'batch.completed', at: noon - 60_000 })
      await ask(long)
      await at.clock.advance(1)
      await ask(short, { since: noon - 120_000 })
      const ended: string[] = []
      await workOff({
        replays: {
          get: (...key) => replays.get(...key),
          find: (...query) => replays.find(...query),
          count: (...range) => replays.count(...range),
          async write(change) {
            if (change.kind === 'replace' && change.document.status === 'done') ended.push(change.document.webhook_id)
            return await replays.write(change)
          },
        },
      })
      assert.deepEqual(ended, [short, long])
    })

    it('stop when their webhook is disabled or deleted', async () => {
      const [disabled, deleted] = [await make(), await make()]
      await archived()
      await ask(disabled)
      await ask(deleted)
      await at.webhooks.updateWebhook({ id: disabled, status: WebhookStatus.DISABLED }, who)
      await at.webhooks.deleteWebhook({ id: deleted }, who)
      await workOff()
      const ended = await replays.find('by_end', { equals: [], limit: 9 })
      assert.deepEqual(
        ended.map(({ status }) => status),
        ['stopped', 'stopped'],
      )
      assert.deepEqual(await delivered(), [])
    })

    it('that fail hold up no other, are told of once, and go on later', async () => {
      const [broken, whole] = [await make(['task.*']), await make(['batch.*'])]
      const task = await archived()
      const batch = await archived({ type: 'batch.completed' })
      await ask(broken)
      await ask(whole)
      let failures = 0
      await workOff({
        webhooks: {
          async get(tenant, id) {
            if (id === broken && failures++ < 3) throw new Error('broken')
            return await deps.webhooks.get(tenant, id)
          },
        },
      })
      assert.deepEqual(logged, ['replay.failed'])
      assert.equal(failures, 4)
      assert.deepEqual(await delivered(), [...queued(broken, task), ...queued(whole, batch)].sort())
    })

    it('are five of a webhook at most, while they are open', async () => {
      const [id, other] = [await make(), await make()]
      const asked = await Promise.all(Array.from({ length: 8 }, () => failure(ask(id))))
      assert.deepEqual(asked.sort(), [...Array(3).fill('invalid_state'), ...Array(5).fill('made')])
      assert.equal(await failure(ask(other)), 'made')
      await workOff()
      assert.equal(await failure(ask(id)), 'made')
    })

    it('are one where the same operation is called again, also when it is over', async () => {
      const id = await make()
      const asked = { operation: operation() }
      const [first, second] = await Promise.all([ask(id, asked), ask(id, asked)])
      assert.deepEqual(first, second)
      assert.equal(await replays.count('open', { equals: [] }, 9), 1)
      await workOff()
      assert.deepEqual(await ask(id, asked), first)
      assert.equal(await replays.count('open', { equals: [] }, 9), 0)
    })

    it('are refused where they make no sense', async () => {
      const id = await make()
      const table: [Parameters<typeof ask>[1], string][] = [
        [{ since: noon - 30 * DAY_MS }, 'made'],
        [{ since: noon - 30 * DAY_MS - 1 }, 'invalid_parameter since'],
        [{ since: noon + 1 }, 'invalid_parameter since'],
        [{ until: noon - 3 * HOUR_MS }, 'invalid_parameter since'],
        [{ types: ['task.*', 'nonsense'] }, 'invalid_parameter types[1]'],
      ]
      for (const [asked, answer] of table) assert.equal(await failure(ask(id, asked)), answer, JSON.stringify(asked))
      const until = (await ask(id, { until: noon + DAY_MS })).until
      assert.equal(until && timestampMs(until), noon)
      const since = timestampFromMs(noon)
      assert.equal(await failure(at.webhooks.replayWebhook({ id, since }, as('acct_b'))), 'not_found')
      assert.equal(await failure(ask('wh_none')), 'not_found')
      await at.webhooks.updateWebhook({ id, status: WebhookStatus.DISABLED }, who)
      assert.equal(await failure(ask(id)), 'invalid_state')
    })

    describe('a test event', () => {
      it('goes to its webhook alone, whatever that asks for, and is in the archive', async () => {
        const [id] = [await make(['batch.*']), await make(['*'])]
        const delivery = await at.webhooks.testWebhook({ id }, who)
        assert.deepEqual(
          [delivery.webhookId, delivery.eventType, delivery.status],
          [id, 'webhook.test', DeliveryStatus.QUEUED],
        )
        const made = await rows.find('primary', { equals: [], limit: 9 })
        assert.deepEqual(
          made.map(({ event_id, endpoint }) => [event_id, endpoint]),
          [[delivery.eventId, id]],
        )
        const event = await archive.get('acct_a/live', delivery.eventId)
        assert.deepEqual([event?.type, event?.resource_id, event?.created_at], ['webhook.test', id, noon])
        const said = JSON.parse(event?.value ?? '')
        assert.deepEqual([said.id, said.type, said.data.object.id], [delivery.eventId, 'webhook.test', id])
        assert.equal(JSON.stringify(said).includes('whsec_'), false)
      })

      it('is one where the same operation is called again, as far as an earlier try got', async () => {
        const id = await make()
        const options = as('acct_a', { operation: operation() })
        const [first, second] = await Promise.all([
          at.webhooks.testWebhook({ id }, options),
          at.webhooks.testWebhook({ id }, options),
        ])
        assert.deepEqual(first, second)
        await at.webhooks.updateWebhook({ id, status: WebhookStatus.DISABLED }, who)
        assert.deepEqual(await at.webhooks.testWebhook({ id }, options), first)
        assert.equal((await delivered()).length, 1)
      })

      it('is not sent to a webhook that is disabled, deleted, or another account’s', async () => {
        const id = await make()
        assert.equal(await failure(at.webhooks.testWebhook({ id }, as('acct_b'))), 'not_found')
        await at.webhooks.updateWebhook({ id, status: WebhookStatus.DISABLED }, who)
        assert.equal(await failure(at.webhooks.testWebhook({ id }, who)), 'invalid_state')
        await at.webhooks.deleteWebhook({ id }, who)
        assert.equal(await failure(at.webhooks.testWebhook({ id }, who)), 'not_found')
        assert.deepEqual(await delivered(), [])
      })
    })
  })
}

/** Works replays off in a process that is dead after so many writes: nothing of it is answered any more. */
async function killedAfter(deps: ReplayingDeps, most: number): Promise<void> {
  const ending = new AbortController()
  const writes: Promise<unknown>[] = []
  let left = most
  const dying = async <T>(write: () => Promise<T>): Promise<T> => {
    if (left-- > 0) {
      const writing = write()
      writes.push(writing)
      return await writing
    }
    ending.abort()
    throw new Error('killed')
  }
  const { replays, deliveries } = deps
  await workOffReplays(
    {
      ...deps,
      log: { ...deps.log, error: () => {} },
      replays: {
        get: (...key) => replays.get(...key),
        find: (...query) => replays.find(...query),
        count: (...range) => replays.count(...range),
        write: change => dying(() => replays.write(change)),
      },
      deliveries: {
        insert: (...row) => dying(() => deliveries.insert(...row)),
        change: (...change) => deliveries.change(...change),
      },
    },
    ending.signal,
  )
  await Promise.all(writes)
}
