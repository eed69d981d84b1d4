import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { manualClock } from '@millhand/process'
import { openSqlite } from '@millhand/store/sqlite'
import { createLog } from '@millhand/telemetry'
import { microseconds } from './archive/arrival-clock.ts'
import { type ArchivedEvent, archiveSpec } from './archived-event.ts'
import { newDelivery, ranks } from './delivery/new-delivery.ts'
import { type DeliveryRecord, deliveriesSpec } from './delivery.ts'
import { endpoint, taskEvent } from './intake/task-event.fixture.ts'
import { type ReplayRecord, replaysSpec } from './replay/replay.ts'
import { removeExpired } from './retention.ts'
import { noon } from './webhook.fixture.ts'
import { type WebhookRecord, webhooksSpec } from './webhook.ts'

const DAY_MS = 86_400_000
const tenant = 'acct_a/live'

const folder = await mkdtemp(join(tmpdir(), 'millhand-retention-'))
const db = openSqlite({ file: join(folder, 'millhand.db') })
after(async () => {
  await db.close()
  await rm(folder, { recursive: true })
})

test('events go 30 days after they came, deliveries and replays 30 days after their end, deleted webhooks after a day', async () => {
  const clock = manualClock(noon)
  const archive = db.collection<ArchivedEvent, keyof typeof archiveSpec.indexes>(archiveSpec)
  const deliveries = db.collection<DeliveryRecord, keyof typeof deliveriesSpec.indexes>(deliveriesSpec)
  const replays = db.collection<ReplayRecord, keyof typeof replaysSpec.indexes>(replaysSpec)
  const webhooks = db.collection<WebhookRecord, keyof typeof webhooksSpec.indexes>(webhooksSpec)
  const insert = { kind: 'insert', events: [] } as const

  async function event(days: number): Promise<ArchivedEvent> {
    const { id, type, value, time } = taskEvent({ at: noon - days * DAY_MS })
    const document = { ...{ tenant, id, version: 1, type, value }, resource_id: 'task_1', created_at: time }
    const arrived = { ...document, arrived: microseconds(time) }
    await archive.write({ ...insert, document: arrived })
    return arrived
  }
  async function delivery(status: DeliveryRecord['status'], of: ArchivedEvent, ended?: number): Promise<string> {
    const row = newDelivery(of, { endpoint: `wh_${status}` }, ranks.first)
    const finished_at = ended && noon - ended * DAY_MS
    await deliveries.write({ ...insert, document: { ...row, status, finished_at } })
    return row.id
  }
  async function replay(status: ReplayRecord['status'], ended?: number): Promise<string> {
    const document = { tenant, id: crypto.randomUUID(), webhook_id: 'wh_1', status, since: 0, until: 0, types: [] }
    const finished_at = ended && noon - ended * DAY_MS
    await replays.write({ ...insert, document: { ...document, created_at: 0, finished_at } })
    return document.id
  }
  async function webhook(status: WebhookRecord['status'], deleted?: number): Promise<string> {
    const document = endpoint({ status, deleted_at: deleted && noon - deleted * DAY_MS })
    await webhooks.write({ ...insert, document })
    return document.id
  }
  const everything = { equals: [], limit: 10_000 }
  const idsOf = async (found: Promise<readonly { readonly id: string }[]>) => (await found).map(({ id }) => id).sort()
  const left = async () => ({
    events: await idsOf(archive.find('primary', everything)),
    deliveries: await idsOf(deliveries.find('primary', everything)),
    replays: await idsOf(replays.find('primary', everything)),
    webhooks: await idsOf(webhooks.find('primary', everything)),
  })
  /** When no more than so many of all kinds are left. */
  async function swept(documents: number) {
    for (;;) {
      const now = await left()
      if (Object.values(now).flat().length <= documents) return now
      await clock.advance(0)
    }
  }

  const [gone, soon, young] = [await event(30.01), await event(29.99), await event(1)]
  for (let n = 0; n < 250; n++) await event(31)
  await delivery('succeeded', gone, 30.01)
  await delivery('failed', gone, 31)
  const soonGone = await delivery('cancelled', gone, 29.99)
  const kept = [await delivery('waiting', gone), await delivery('queued', gone), await delivery('running', gone)]
  await replay('done', 31)
  await replay('stopped', 31)
  const others = [await replay('done', 1), await replay('open')]
  await webhook('deleted', 1.01)
  const soonForgotten = await webhook('deleted', 0.99)
  const alive = [await webhook('enabled'), await webhook('disabled')]

  const stop = new AbortController()
  const log = { ...createLog({ level: 'error' }), error: assert.fail }
  const running = removeExpired({ archive, deliveries, replays, webhooks, clock, log }, stop.signal)
  const before = await swept(11)
  assert.deepEqual(before, {
    events: [soon.id, young.id].sort(),
    deliveries: [...kept, soonGone].sort(),
    replays: others.toSorted(),
    webhooks: [...alive, soonForgotten].sort(),
  })
  await clock.advance(3_599_999)
  assert.deepEqual(await left(), before)
  await clock.advance(1)
  assert.deepEqual(await swept(8), {
    events: [young.id],
    deliveries: kept.toSorted(),
    replays: others.toSorted(),
    webhooks: alive.toSorted(),
  })
  stop.abort()
  await running
})
