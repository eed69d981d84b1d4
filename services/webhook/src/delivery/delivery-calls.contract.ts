/** What callers see of deliveries, whatever they are stored in. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { jsonWriter } from '@millhand/api'
import { Order } from '@millhand/api/gen/millhand/type/v1/mode_pb.ts'
import {
  type Delivery,
  DeliveryStatus,
  ListDeliveriesResponseSchema,
} from '@millhand/api/gen/millhand/webhook/v1/delivery_pb.ts'
import { WebhookStatus } from '@millhand/api/gen/millhand/webhook/v1/webhook_pb.ts'
import type { Database } from '@millhand/store'
import { microseconds } from '../archive/arrival-clock.ts'
import type { ArchivedEvent } from '../archived-event.ts'
import { type Deliveries, type DeliveryRecord, deliveriesSpec } from '../delivery.ts'
import { as, type Endpoints, failure, openEndpoints } from '../webhook.fixture.ts'
import type { OpenedStore } from './deliveries.contract.ts'
import { noon, someEvents } from './delivery.fixture.ts'
import { newDelivery, ranks } from './new-delivery.ts'

const me = as('acct_1')
const operation = '01kaje5z1cf6tvnyxkkhbm3v8h'
const writePage = jsonWriter(ListDeliveriesResponseSchema)

export function describeDeliveryCalls(
  name: string,
  open: () => Promise<OpenedStore>,
  options: { readonly skip?: string | false | undefined } = {},
) {
  describe(`${name}: calls about deliveries`, { skip: options.skip ?? false }, () => {
    let store: OpenedStore
    let endpoints: Endpoints
    let deliveries: Deliveries
    let webhookId: string
    beforeEach(async () => {
      store = await open()
      endpoints = openEndpoints(store.db as Database)
      deliveries = store.db.collection(deliveriesSpec)
      webhookId = await make()
    })
    afterEach(() => store.close())

    const make = async () =>
      (await endpoints.webhooks.createWebhook({ url: 'https://example.com/hook', events: ['*'] }, me)).id

    /** One of each of these, an event a minute, the last an hour ago. */
    async function stored(all: readonly Partial<DeliveryRecord>[], to = webhookId): Promise<DeliveryRecord[]> {
      const made = all.map((more, n) => {
        const [event] = someEvents(1, 'acct_1/live', noon - 3_600_000 - (all.length - 1 - n) * 60_000)
        return { ...newDelivery(event as ArchivedEvent, { endpoint: to }, ranks.first), ...more }
      })
      await Promise.all(made.map(document => deliveries.write({ kind: 'insert', document, events: [] })))
      return made
    }
    const ended = (status: 'succeeded' | 'failed' | 'cancelled') => ({ status, finished_at: noon })
    const idsOf = (all: readonly { readonly id: string }[]) => all.map(({ id }) => id)

    it('list them in the order in which they were made, page by page, in both orders', async () => {
      const made = idsOf(await stored(Array.from({ length: 25 }, () => ({}))))
      await stored([{}, {}], await make())
      const all = async (order: Order) => {
        const listed: Delivery[] = []
        for (let cursor: string | undefined; ; ) {
          const page = await endpoints.webhooks.listDeliveries(
            { webhookId, limit: 10, order, ...(cursor !== undefined && { cursor }) },
            me,
          )
          listed.push(...page.data)
          cursor = page.nextCursor
          if (!page.hasMore) return idsOf(listed)
        }
      }
      assert.deepEqual(await all(Order.ASC), made)
      assert.deepEqual(await all(Order.DESC), made.toReversed())
    })

    it('list those of a status, where two states are shown as one, and of an event', async () => {
      const states = ['queued', 'waiting', 'running', 'queued', 'waiting'] as const
      const made = await stored([
        ...states.map(status => ({ status, due_at: noon })),
        ended('failed'),
        ended('succeeded'),
        ended('cancelled'),
      ])
      const ids = idsOf(made)
      const listed = async (filter: { status?: DeliveryStatus; eventId?: string; limit?: number; cursor?: string }) =>
        await endpoints.webhooks.listDeliveries({ webhookId, order: Order.ASC, ...filter }, me)
      const queued = [ids[0], ids[1], ids[3], ids[4]]
      assert.deepEqual(idsOf((await listed({ status: DeliveryStatus.QUEUED })).data), queued)
      const { data, nextCursor = '' } = await listed({ status: DeliveryStatus.QUEUED, limit: 3 })
      assert.deepEqual(idsOf(data), queued.slice(0, 3))
      assert.deepEqual(idsOf((await listed({ status: DeliveryStatus.QUEUED, cursor: nextCursor })).data), [ids[4]])
      assert.deepEqual(idsOf((await listed({ status: DeliveryStatus.FAILED })).data), [ids[5]])
      const eventId = made[5]?.event_id ?? ''
      assert.deepEqual(idsOf((await listed({ eventId })).data), [ids[5]])
      assert.deepEqual(idsOf((await listed({ eventId, status: DeliveryStatus.FAILED })).data), [ids[5]])
      assert.deepEqual((await listed({ eventId, status: DeliveryStatus.SUCCEEDED })).data, [])
      assert.deepEqual((await listed({ eventId: 'evt_?' })).data, [])
      assert.equal(await failure(listed({ cursor: nextCursor })), 'invalid_cursor cursor')
    })

    it('list with their tries, of whose answers a page has no more than the beginning of the newest', async () => {
      const response = '\u0001'.repeat(4_096)
      const attempts = Array.from({ length: 20 }, (_, n) => ({ at: noon + n, ms: 1, status: 500, response }))
      const [first] = await stored(Array.from({ length: 100 }, () => ({ ...ended('failed'), attempts, tried: 21 })))
      const page = await endpoints.webhooks.listDeliveries({ webhookId, limit: 100 }, me)
      assert.equal(page.data.length, 100)
      assert.ok(writePage(page).length < 1_048_576, `${writePage(page).length} bytes`)
      const listed = page.data.find(({ id }) => id === first?.id)
      assert.deepEqual([listed?.attempts.length, listed?.attempt], [20, 21])
      assert.deepEqual(listed?.attempts.map(({ status, response }) => [status, response.length]).slice(-2), [
        [500, 0],
        [500, 256],
      ])
      const whole = await endpoints.webhooks.getDelivery({ webhookId, id: first?.id ?? '' }, me)
      assert.ok(whole.attempts.every(attempt => attempt.response === response))
    })

    it('list one that was made late of an event of long ago behind those that were listed', async () => {
      const page = (cursor?: string) =>
        endpoints.webhooks.listDeliveries({ webhookId, order: Order.ASC, limit: 2, ...(cursor && { cursor }) }, me)
      const minute = 60_000_000
      const now = microseconds(noon - 3_600_000)
      const [oldest, newer, newest] = await stored([
        { arrived: now + 2 * minute },
        { arrived: now },
        { arrived: now + minute },
      ])
      const { data, nextCursor } = await page()
      assert.deepEqual(idsOf(data), [newer?.id, newest?.id])
      assert.deepEqual(idsOf((await page(nextCursor)).data), [oldest?.id])
    })

    it('show one with its tries, and when it is tried next', async () => {
      const attempts = [
        { at: noon, ms: 12, status: 500, response: 'oh' },
        { at: noon, ms: 15_000, error: 'timeout', response: 'No answer came.' },
      ]
      const [made] = await stored([{ status: 'waiting', due_at: noon + 30_000, attempts, tries: 2, tried: 14 }])
      const id = made?.id ?? ''
      const shown = await endpoints.webhooks.getDelivery({ webhookId, id }, me)
      assert.deepEqual([shown.status, shown.attempt, shown.webhookId], [DeliveryStatus.QUEUED, 14, webhookId])
      assert.equal(Number(shown.nextAttemptAt?.seconds), noon / 1000 + 30)
      assert.deepEqual(
        shown.attempts.map(({ status, error, response, durationMs }) => [status, error, response, durationMs]),
        [
          [500, undefined, 'oh', 12],
          [undefined, 'timeout', 'No answer came.', 15_000],
        ],
      )
    })

    it('show nobody another’s, nor under another webhook', async () => {
      const [{ id } = { id: '' }] = await stored([ended('failed')])
      const other = await make()
      const { webhooks } = endpoints
      for (const call of [webhooks.getDelivery, webhooks.retryDelivery]) {
        assert.equal(await failure(call({ webhookId: other, id }, me)), 'not_found')
        assert.equal(await failure(call({ webhookId, id }, as('acct_2'))), 'not_found')
        assert.equal(await failure(call({ webhookId, id }, as('acct_1', { mode: 'test' }))), 'not_found')
      }
      assert.equal(await failure(webhooks.listDeliveries({ webhookId }, as('acct_2'))), 'not_found')
    })

    it('retry one in every state but while it is tried', async () => {
      const made = await stored([
        {},
        { status: 'waiting', due_at: noon + 86_400_000 },
        ended('failed'),
        ended('succeeded'),
      ])
      for (const { id } of made) {
        const retried = await endpoints.webhooks.retryDelivery({ webhookId, id }, me)
        assert.deepEqual([retried.status, Number(retried.nextAttemptAt?.seconds)], [DeliveryStatus.QUEUED, noon / 1000])
        assert.equal(retried.finishedAt, undefined)
      }
      const [running] = await stored([{ status: 'running', due_at: 0, lease_id: 'l', attempt: 1 }])
      const call = endpoints.webhooks.retryDelivery({ webhookId, id: running?.id ?? '' }, me)
      assert.equal(await failure(call), 'invalid_state')
    })

    it('retry one once, however often the same request comes', async () => {
      const [made] = await stored([ended('failed')])
      const request = { webhookId, id: made?.id ?? '' }
      const caller = as('acct_1', { operation })
      const { resourceVersion } = await endpoints.webhooks.retryDelivery(request, caller)
      assert.equal((await endpoints.webhooks.retryDelivery(request, caller)).resourceVersion, resourceVersion)
      assert.equal((await endpoints.webhooks.retryDelivery(request, me)).resourceVersion, resourceVersion + 1)
    })

    it('retry none of a webhook that is disabled', async () => {
      const [made] = await stored([ended('failed')])
      await endpoints.webhooks.updateWebhook({ id: webhookId, status: WebhookStatus.DISABLED }, me)
      const call = endpoints.webhooks.retryDelivery({ webhookId, id: made?.id ?? '' }, me)
      assert.equal(await failure(call), 'invalid_state')
    })
  })
}
