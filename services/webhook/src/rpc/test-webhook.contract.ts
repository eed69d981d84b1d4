/** What test events promise, on every database. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { createIds } from '@millhand/api'
import { DeliveryStatus } from '@millhand/api/gen/millhand/webhook/v1/delivery_pb.ts'
import { WebhookStatus } from '@millhand/api/gen/millhand/webhook/v1/webhook_pb.ts'
import type { OpenedStore } from '../replay/replays.contract.ts'
import { openReplays } from '../replay/replays.fixture.ts'
import { as, failure, noon } from '../webhook.fixture.ts'

const who = as('acct_a')
const ids = createIds()

export function describeTestEvents(name: string, open: () => Promise<OpenedStore>) {
  describe(`${name}: a test event`, () => {
    let store: OpenedStore
    let at: ReturnType<typeof openReplays>
    beforeEach(async () => {
      store = await open()
      at = openReplays(store.db)
    })
    afterEach(() => store.close())

    it('goes to its webhook alone, whatever that asks for, and is in the archive', async () => {
      const [id] = [await at.make(['batch.*']), await at.make(['*'])]
      const delivery = await at.webhooks.testWebhook({ id }, who)
      assert.deepEqual(
        [delivery.webhookId, delivery.eventType, delivery.status],
        [id, 'webhook.test', DeliveryStatus.QUEUED],
      )
      const made = await at.rows.find('primary', { equals: [], limit: 9 })
      assert.deepEqual(
        made.map(({ event_id, endpoint }) => [event_id, endpoint]),
        [[delivery.eventId, id]],
      )
      const event = await at.archive.get('acct_a/live', delivery.eventId)
      assert.deepEqual([event?.type, event?.resource_id, event?.created_at], ['webhook.test', id, noon])
      const said = JSON.parse(event?.value ?? '')
      assert.deepEqual([said.id, said.type, said.data.object.id], [delivery.eventId, 'webhook.test', id])
      assert.equal(JSON.stringify(said).includes('whsec_'), false)
    })

    it('is one where the same operation is called again, as far as an earlier try got', async () => {
      const id = await at.make()
      const options = as('acct_a', { operation: ids('req').slice('req_'.length) })
      const [first, second] = await Promise.all([
        at.webhooks.testWebhook({ id }, options),
        at.webhooks.testWebhook({ id }, options),
      ])
      assert.deepEqual(first, second)
      await at.webhooks.updateWebhook({ id, status: WebhookStatus.DISABLED }, who)
      assert.deepEqual(await at.webhooks.testWebhook({ id }, options), first)
      assert.equal((await at.delivered()).length, 1)
    })

    it('is not sent to a webhook that is disabled, deleted, or another account’s', async () => {
      const id = await at.make()
      assert.equal(await failure(at.webhooks.testWebhook({ id }, as('acct_b'))), 'not_found')
      await at.webhooks.updateWebhook({ id, status: WebhookStatus.DISABLED }, who)
      assert.equal(await failure(at.webhooks.testWebhook({ id }, who)), 'invalid_state')
      await at.webhooks.deleteWebhook({ id }, who)
      assert.equal(await failure(at.webhooks.testWebhook({ id }, who)), 'not_found')
      assert.deepEqual(await at.delivered(), [])
    })
  })
}
