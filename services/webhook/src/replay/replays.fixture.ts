/** Replays on a database: what was asked for by calls, and an owner that works it off when it is told to. */
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { createWorkStore } from '@millhand/lease'
import type { Database } from '@millhand/store'
import { createLog } from '@millhand/telemetry'
import { microseconds } from '../archive/arrival-clock.ts'
import { type Archive, type ArchivedEvent, archiveSpec } from '../archived-event.ts'
import { type DeliveryCause, deliveryTransition } from '../delivery/transition.ts'
import { type Deliveries, type DeliveryRecord, deliveriesSpec } from '../delivery.ts'
import { type TaskEventOptions, taskEvent } from '../intake/task-event.fixture.ts'
import { as, noon, openEndpoints } from '../webhook.fixture.ts'
import { type WebhookRecord, type Webhooks, webhooksSpec } from '../webhook.ts'
import { type ReplayRecord, type Replays, replaysSpec } from './replay.ts'
import { type ReplayWorkerDeps, runReplays } from './replay-worker.ts'

export const HOUR_MS = 3_600_000

interface Asking {
  readonly since: number
  readonly until: number
  readonly types: string[]
  readonly operation: string
  readonly account: string
}

export function openReplays(db: Database) {
  const { clock, webhooks } = openEndpoints(db)
  const archive: Archive = db.collection<ArchivedEvent, keyof typeof archiveSpec.indexes>(archiveSpec)
  const rows: Deliveries = db.collection<DeliveryRecord, keyof typeof deliveriesSpec.indexes>(deliveriesSpec)
  const replays: Replays = db.collection<ReplayRecord, keyof typeof replaysSpec.indexes>(replaysSpec)
  const records: Webhooks = db.collection<WebhookRecord, keyof typeof webhooksSpec.indexes>(webhooksSpec)
  const work = createWorkStore<DeliveryRecord, DeliveryCause>({
    collection: rows,
    machine: { transition: deliveryTransition({ random: () => 0 }), events: () => [] },
    clock,
    onChanged: () => {},
  })
  const logged: string[] = []
  const log = { ...createLog({ level: 'error' }), error: (event: string) => void logged.push(event) }
  const deps: ReplayWorkerDeps = { replays, archive, webhooks: records, deliveries: work, clock, log }

  return {
    ...{ clock, webhooks, archive, rows, replays, work, deps, logged },

    /** A webhook's id. */
    async make(events = ['task.*'], account = 'acct_a') {
      const made = await webhooks.createWebhook({ url: 'https://example.com/', events }, as(account))
      return made.id
    },

    /** An event that is in the archive; it came when it happened where nothing else is said. */
    async archived(said: Partial<TaskEventOptions & { came: number }> = {}): Promise<ArchivedEvent> {
      const { came = said.at ?? noon - HOUR_MS, account = 'acct_a', mode = 'live' } = said
      const { id, type, key: resource_id, time: created_at, value } = taskEvent({ at: came, ...said })
      const tenant = `${account}/${mode}`
      const event = { tenant, id, version: 1, type, resource_id, created_at, value, arrived: microseconds(came) }
      await archive.write({ kind: 'insert', document: event, events: [] })
      return event
    },

    /** Asks for a replay: of the last two hours where nothing else is said. */
    ask: (id: string, more: Partial<Asking> = {}) =>
      webhooks.replayWebhook(
        {
          ...{ id, types: more.types ?? [], since: timestampFromMs(more.since ?? noon - 2 * HOUR_MS) },
          ...(more.until !== undefined && { until: timestampFromMs(more.until) }),
        },
        as(more.account ?? 'acct_a', { operation: more.operation }),
      ),

    /** Works off what is open, as the owner does, until nothing is. */
    async workOff(more: Partial<ReplayWorkerDeps> = {}) {
      const ending = new AbortController()
      const running = runReplays({ ...deps, ...more }, ending.signal)
      while ((await replays.count('open', { equals: [] }, 1)) > 0) await clock.advance(1_000)
      ending.abort()
      await running
    },

    /** `<event> <endpoint> <status> <rank>` of every row. */
    async delivered() {
      const found = await rows.find('primary', { equals: [], limit: 10_000 })
      return found.map(({ event_id, endpoint, status, rank }) => `${event_id} ${endpoint} ${status} ${rank}`).sort()
    },
  }
}

/** Works replays off in a process that is dead after so many writes: nothing of it is answered any more. */
export async function killedAfter(deps: ReplayWorkerDeps, most: number): Promise<void> {
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
  await runReplays(
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
