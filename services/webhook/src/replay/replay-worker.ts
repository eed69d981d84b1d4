/** Works off the replays that were asked for. */
import { type Clock, everyInterval } from '@millhand/process'
import type { Log } from '@millhand/telemetry'
import type { ArchivedEvent, ReadableArchive } from '../archived-event.ts'
import { newDelivery, ranks } from '../delivery/new-delivery.ts'
import type { DeliveryRecord } from '../delivery.ts'
import { matches } from '../event-types.ts'
import { distinctTenants } from '../tenant-round-robin.ts'
import type { WebhookRecord, Webhooks } from '../webhook.ts'
import { testType } from '../webhook-events.ts'
import type { ReplayRecord, Replays } from './replay.ts'

export interface ReplayWorkerDeps {
  readonly replays: Replays
  readonly archive: Pick<ReadableArchive, 'find'>
  readonly webhooks: Pick<Webhooks, 'get'>
  readonly deliveries: {
    insert(delivery: DeliveryRecord, events: readonly []): Promise<boolean>
    /** Begins it anew, unless it waits or runs. */
    change(tenant: string, id: string, cause: { readonly kind: 'replayed' }): Promise<{ readonly kind: string }>
  }
  readonly clock: Clock
  readonly log: Log
}

const LOOK_MS = 1_000
/** How many replays of a tenant take turns: its oldest. */
const AT_ONCE = 100
/** How many events a turn looks at. */
const PAGE = 200
/** How long a replay rests that failed. */
const REST_MS = 10_000

/**
 * Until the signal ends; of all replicas only the owner may. Never rejects: what fails is tried again. Tenants take turns,
 * a page each, and so do the replays of one: neither a long one nor many delay those of others. A page whose place could
 * not be stored comes again: what it has begun anew still waits then, or was delivered twice.
 */
export async function runReplays(deps: ReplayWorkerDeps, signal: AbortSignal): Promise<void> {
  const { replays, clock, log } = deps
  /** When a replay that failed may be tried again, by the monotonic clock. */
  const resting = new Map<string, number>()
  let isAway = false

  async function turn(replay: ReplayRecord): Promise<void> {
    try {
      await runPage(deps, replay)
      resting.delete(replay.id)
    } catch (error) {
      if (!resting.has(replay.id)) log.error('replay.failed', { replay: replay.id, webhook: replay.webhook_id, error })
      resting.set(replay.id, clock.monotonic() + REST_MS)
    }
  }

  /** A page for each tenant: of the replay after the one whose turn it was in the round before. Which had one. */
  async function round(before: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, string>> {
    const served = new Map<string, string>()
    for await (const tenant of distinctTenants(replays, 'open')) {
      if (signal.aborted) break
      const open = await replays.find('open', { equals: [tenant], limit: AT_ONCE })
      const due = open.filter(({ id }) => (resting.get(id) ?? 0) <= clock.monotonic())
      const next = due[due.findIndex(({ id }) => id === before.get(tenant)) + 1] ?? due[0]
      if (next) {
        served.set(tenant, next.id)
        await turn(next)
      }
    }
    return served
  }

  await everyInterval(clock, LOOK_MS, signal, async () => {
    try {
      let served = await round(new Map())
      while (served.size > 0 && !signal.aborted) served = await round(served)
      isAway = false
    } catch (error) {
      if (!isAway) log.warn('replays.unreadable', { error })
      isAway = true
    }
  })
}

/** One page. */
async function runPage(deps: ReplayWorkerDeps, replay: ReplayRecord): Promise<void> {
  const { replays, archive, webhooks, deliveries, clock } = deps
  const { tenant, webhook_id, since, until, place } = replay
  const webhook = await webhooks.get(tenant, webhook_id)
  const ended = (status: 'done' | 'stopped') => ({ ...replay, status, finished_at: clock.now() })
  const save = (document: ReplayRecord) =>
    replays.write({ kind: 'replace', version: replay.version, document, events: [] }) // Else another owner did.
  if (webhook?.status !== 'enabled') {
    await save(ended('stopped'))
    return
  }
  // Times are whole: both ends are in it. What comes late, behind the place, is delivered as whatever comes.
  const page = await archive.find('by_time', {
    equals: [tenant],
    after: place ? [place.time, place.id] : [since - 1],
    before: [until + 1],
    limit: PAGE,
  })
  const asked = page.filter(event => isAsked(replay, webhook, event))
  await Promise.all(
    asked.map(async event => {
      const delivery = newDelivery(event, { endpoint: webhook_id }, ranks.replay)
      const { kind } = await deliveries.change(tenant, delivery.id, { kind: 'replayed' })
      if (kind === 'missing') await deliveries.insert(delivery, [])
    }),
  )
  const end = page.at(-1)
  if (end === undefined || page.length < PAGE) await save(ended('done'))
  else await save({ ...replay, place: { time: end.created_at, id: end.id } })
}

/** A test is for the one endpoint that it was sent to. */
const isAsked = ({ types }: ReplayRecord, { events }: WebhookRecord, event: ArchivedEvent): boolean =>
  event.type !== testType &&
  events.some(pattern => matches(pattern, event.type)) &&
  (types.length === 0 || types.some(pattern => matches(pattern, event.type)))
