/** What replays promise, on every database. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt'
import { createIds } from '@millhand/api'
import { WebhookStatus } from '@millhand/api/gen/millhand/webhook/v1/webhook_pb.ts'
import type { Database } from '@millhand/store'
import type { ArchivedEvent } from '../archived-event.ts'
import { newDelivery, ranks } from '../delivery/new-delivery.ts'
import type { DeliveryRecord } from '../delivery.ts'
import { as, failure, noon } from '../webhook.fixture.ts'
import { HOUR_MS, killedAfter, openReplays } from './replays.fixture.ts'

const DAY_MS = 24 * HOUR_MS
const who = as('acct_a')
const ids = createIds()

export interface OpenedStore {
  readonly db: Database
  close(): Promise<void>
}

export function describeReplays(name: string, open: () => Promise<OpenedStore>) {
  describe(`${name}: replays`, () => {
    let store: OpenedStore
    let at: ReturnType<typeof openReplays>
    beforeEach(async () => {
      store = await open()
      at = openReplays(store.db)
    })
    afterEach(() => store.close())

    const queued = (id: string, ...events: ArchivedEvent[]) => events.map(event => `${event.id} ${id} queued 2`).sort()

    it('deliver what happened in the time and is asked for, behind all else', async () => {
      const id = await at.make(['task.succeeded', 'batch.*'])
      const first = await at.archived({ at: noon - 2 * HOUR_MS })
      const late = await at.archived({ at: noon - 2 * HOUR_MS, came: noon - 60_000 })
      const batch = await at.archived({ type: 'batch.completed' })
      const last = await at.archived({ at: noon - HOUR_MS })
      await at.archived({ at: noon - 2 * HOUR_MS - 1 })
      await at.archived({ at: noon - HOUR_MS + 1 })
      await at.archived({ type: 'task.failed' })
      await at.archived({ mode: 'test' })
      await at.archived({ account: 'acct_b' })
      const answer = await at.ask(id, { until: noon - HOUR_MS })
      assert.equal(answer.webhookId, id)
      assert.deepEqual(
        [answer.since, answer.until].map(time => time && timestampMs(time)),
        [noon - 2 * HOUR_MS, noon - HOUR_MS],
      )
      await at.workOff()
      assert.deepEqual(await at.delivered(), queued(id, first, late, batch, last))
    })

    it('deliver what came days after it happened, and nothing that only came in the time', async () => {
      const id = await at.make()
      const late = await at.archived({ at: noon - 5 * DAY_MS, came: noon - 2 * DAY_MS })
      const early = await at.archived({ at: noon - 5 * DAY_MS, came: noon - 7 * DAY_MS })
      await at.archived({ at: noon - 8 * DAY_MS, came: noon - 5 * DAY_MS })
      await at.archived({ at: noon - 2 * DAY_MS, came: noon - 5 * DAY_MS })
      await at.ask(id, { since: noon - 6 * DAY_MS, until: noon - 4 * DAY_MS })
      await at.workOff()
      assert.deepEqual(await at.delivered(), queued(id, late, early))
    })

    it('deliver only the types that are named, and nothing that the webhook does not ask for', async () => {
      const id = await at.make(['task.*'])
      const failed = await at.archived({ type: 'task.failed' })
      await at.archived({ type: 'task.queued' })
      await at.archived({ type: 'batch.completed' })
      assert.deepEqual((await at.ask(id, { types: ['task.failed', 'batch.*'] })).types, ['task.failed', 'batch.*'])
      await at.workOff()
      assert.deepEqual(await at.delivered(), queued(id, failed))
    })

    it('deliver no test event: that is for the webhook that it was sent to', async () => {
      const id = await at.make(['*'])
      await at.archived({ type: 'webhook.test' })
      const created = await at.archived({ type: 'webhook.created' })
      await at.ask(id)
      await at.workOff()
      assert.deepEqual(await at.delivered(), queued(id, created))
    })

    it('begin anew what has ended, and leave what still waits or runs', async () => {
      const id = await at.make()
      const [succeeded, failed, waits, runs] = [
        await at.archived(),
        await at.archived(),
        await at.archived(),
        await at.archived(),
      ]
      const insert = (event: ArchivedEvent, more: Partial<DeliveryRecord> = {}) =>
        at.work.insert({ ...newDelivery(event, { endpoint: id }, ranks.first), ...more }, [])
      await insert(succeeded, { status: 'succeeded', tries: 1, finished_at: 1 })
      await insert(failed, { status: 'failed', tries: 12, finished_at: 1 })
      await insert(waits)
      await insert(runs, { status: 'running', lease_id: 'l' })
      await at.ask(id)
      await at.workOff()
      const kept = [`${waits.id} ${id} queued 0`, `${runs.id} ${id} running 0`]
      assert.deepEqual(await at.delivered(), [...queued(id, succeeded, failed), ...kept].sort())
      const rows = await at.rows.find('by_endpoint', { equals: ['acct_a/live', id], limit: 9 })
      const again = rows.find(({ event_id }) => event_id === succeeded.id)
      assert.deepEqual([again?.status, again?.tries, again?.finished_at], ['queued', 0, undefined])
    })

    it('come to their end over pages, and whenever their owner is killed', async () => {
      const id = await at.make()
      const events: ArchivedEvent[] = []
      for (let n = 0; n < 450; n++) {
        events.push(await at.archived({ at: noon - HOUR_MS + Math.floor(n / 3), came: noon - n }))
      }
      await at.ask(id)
      for (const writes of [0, 1, 150, 49, 0, 1, 200, 1, 50]) await killedAfter(at.deps, writes)
      const [half] = await at.replays.find('open', { equals: [], limit: 1 })
      assert.equal(half?.place?.id, events[399]?.id)
      await at.workOff()
      assert.deepEqual(await at.delivered(), queued(id, ...events))
      assert.equal((await at.replays.find('by_end', { equals: [], limit: 9 })).length, 1)
    })

    it('take turns: a long one delays no other', async () => {
      const [long, short] = [await at.make(['task.*']), await at.make(['batch.*'])]
      for (let n = 0; n < 450; n++) await at.archived({ at: noon - 1.5 * HOUR_MS })
      await at.archived({ type: 'batch.completed', at: noon - 60_000 })
      await at.ask(long)
      await at.clock.advance(1)
      await at.ask(short, { since: noon - 120_000 })
      const ended: string[] = []
      await at.workOff({
        replays: {
          get: (...key) => at.replays.get(...key),
          find: (...query) => at.replays.find(...query),
          count: (...range) => at.replays.count(...range),
          async write(change) {
            if (change.kind === 'replace' && change.document.status === 'done') ended.push(change.document.webhook_id)
            return await at.replays.write(change)
          },
        },
      })
      assert.deepEqual(ended, [short, long])
    })

    it('of one account take one turn together, so that many delay those of no other', async () => {
      for (let n = 0; n < 300; n++) await at.archived()
      await at.archived({ account: 'acct_b' })
      for (let n = 0; n < 3; n++) {
        const id = await at.make()
        for (let times = 0; times < 5; times++) await at.ask(id)
      }
      await at.clock.advance(1)
      await at.ask(await at.make(['task.*'], 'acct_b'), { account: 'acct_b' })
      const pages: unknown[] = []
      await at.workOff({
        archive: {
          async find(index, query) {
            pages.push(query.equals[0])
            return await at.deps.archive.find(index, query)
          },
        },
      })
      assert.equal(pages.indexOf('acct_b/live'), 1)
      assert.equal(pages.length, 15 * 2 + 1)
    })

    it('stop when their webhook is disabled or deleted', async () => {
      const [disabled, deleted] = [await at.make(), await at.make()]
      await at.archived()
      await at.ask(disabled)
      await at.ask(deleted)
      await at.webhooks.updateWebhook({ id: disabled, status: WebhookStatus.DISABLED }, who)
      await at.webhooks.deleteWebhook({ id: deleted }, who)
      await at.workOff()
      const ended = await at.replays.find('by_end', { equals: [], limit: 9 })
      assert.deepEqual(
        ended.map(({ status }) => status),
        ['stopped', 'stopped'],
      )
      assert.deepEqual(await at.delivered(), [])
    })

    it('that fail hold up no other, are told of once, and go on later', async () => {
      const [broken, whole] = [await at.make(['task.*']), await at.make(['batch.*'])]
      const task = await at.archived()
      const batch = await at.archived({ type: 'batch.completed' })
      await at.ask(broken)
      await at.ask(whole)
      let failures = 0
      await at.workOff({
        webhooks: {
          async get(tenant, id) {
            if (id === broken && failures++ < 3) throw new Error('broken')
            return await at.deps.webhooks.get(tenant, id)
          },
        },
      })
      assert.deepEqual(at.logged, ['replay.failed'])
      assert.equal(failures, 4)
      assert.deepEqual(await at.delivered(), [...queued(broken, task), ...queued(whole, batch)].sort())
    })

    it('are five of a webhook at most, while they are open', async () => {
      const [id, other] = [await at.make(), await at.make()]
      const asked = await Promise.all(Array.from({ length: 8 }, () => failure(at.ask(id))))
      assert.deepEqual(asked.sort(), [...Array(3).fill('invalid_state'), ...Array(5).fill('made')])
      assert.equal(await failure(at.ask(other)), 'made')
      await at.workOff()
      assert.equal(await failure(at.ask(id)), 'made')
    })

    it('are one where the same operation is called again, also when it is over', async () => {
      const id = await at.make()
      const asked = { operation: ids('req').slice('req_'.length) }
      const [first, second] = await Promise.all([at.ask(id, asked), at.ask(id, asked)])
      assert.deepEqual(first, second)
      assert.equal(await at.replays.count('open', { equals: [] }, 9), 1)
      await at.workOff()
      await at.webhooks.updateWebhook({ id, status: WebhookStatus.DISABLED }, who)
      assert.deepEqual(await at.ask(id, asked), first)
      assert.equal(await at.replays.count('open', { equals: [] }, 9), 0)
    })

    it('are refused where they make no sense', async () => {
      const id = await at.make()
      const table: [Parameters<typeof at.ask>[1], string][] = [
        [{ since: noon - 30 * DAY_MS }, 'made'],
        [{ since: noon - 30 * DAY_MS - 1 }, 'invalid_parameter since'],
        [{ since: noon + 1 }, 'invalid_parameter since'],
        [{ until: noon - 3 * HOUR_MS }, 'invalid_parameter since'],
        [{ types: ['task.*', 'nonsense'] }, 'invalid_parameter types[1]'],
      ]
      for (const [asked, answer] of table) assert.equal(await failure(at.ask(id, asked)), answer, JSON.stringify(asked))
      await assert.rejects(at.ask(id, { since: noon + 1, types: ['nonsense'] }), /`since`.*`types\[0\]`/s)
      const until = (await at.ask(id, { until: noon + DAY_MS })).until
      assert.equal(until && timestampMs(until), noon)
      const since = timestampFromMs(noon)
      assert.equal(await failure(at.webhooks.replayWebhook({ id, since }, as('acct_b'))), 'not_found')
      assert.equal(await failure(at.ask('wh_none')), 'not_found')
      await at.webhooks.updateWebhook({ id, status: WebhookStatus.DISABLED }, who)
      assert.equal(await failure(at.ask(id)), 'invalid_state')
    })
  })
}
