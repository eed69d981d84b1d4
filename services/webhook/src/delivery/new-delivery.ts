/** A row that is to be delivered. */
import { createHash } from 'node:crypto'
import type { KeyMode } from '@millhand/api'
import { noDueTime } from '@millhand/lease'
import { microseconds } from '../archive/arrival-clock.ts'
import type { ArchivedEvent } from '../archived-event.ts'
import type { DeliveryRecord } from '../delivery.ts'
import { deliveryId } from './delivery-id.ts'

/** Where it goes: a webhook by its id, or a callback by its endpoint id (`callbackEndpoint`) and address. */
export interface Destination {
  readonly endpoint: string
  readonly callback_url?: string
}

/** First tries before later ones before replays. */
export const ranks = { first: 0, later: 1, replay: 2 } as const

/** Ready to be claimed. */
export function newDelivery(
  event: Pick<ArchivedEvent, 'tenant' | 'id' | 'type' | 'created_at'>,
  { endpoint, callback_url }: Destination,
  rank: (typeof ranks)['first' | 'replay'],
): DeliveryRecord {
  const [account_id = '', mode = ''] = event.tenant.split('/')
  return {
    tenant: event.tenant,
    id: deliveryId(event.id, endpoint),
    version: 1,
    account_id,
    mode: mode as KeyMode,
    pool: poolOf(mode as KeyMode),
    group: endpoint,
    rank,
    status: 'queued',
    backoff_ms: 0,
    due_at: noDueTime,
    lease_id: '',
    attempt: 0,
    endpoint,
    ...(callback_url !== undefined && { callback_url }),
    event_id: event.id,
    event_type: event.type,
    created_at: event.created_at,
    arrived: microseconds(event.created_at), // Until it is stored, as the next one.
    ready_at: event.created_at,
    attempts: [],
    tries: 0,
    tried: 0,
    put_offs: 0,
    resource_version: 1,
  }
}

/**
 * To be tried at that time, in milliseconds since 1970. Whoever is not the owner makes deliveries so: the owner sees in
 * the store what falls due, and hears of nothing else that it has not written itself.
 */
export const dueAt = (time: number) => ({ status: 'waiting', due_at: time }) as const

/** Live and test deliveries never wait for each other. */
export const poolOf = (mode: KeyMode): string => `${mode}/webhooks`

/**
 * The endpoint id of callbacks to an address: those of one origin share it, as they share its fate, and of a tenant there are
 * at most 64, however many names are thought of.
 */
export function callbackEndpoint(tenant: string, url: string): string {
  const origin = URL.parse(url)?.origin ?? url
  const bucket = (createHash('sha256').update(origin).digest()[0] as number) % BUCKETS
  return `${CALLBACK}${tenant}/${bucket}`
}

const CALLBACK = 'callback:'
const BUCKETS = 64
