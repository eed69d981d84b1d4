/** What there is to do, counted in the store: any replica can tell, also where none is the owner. */
import { noDueTime } from '@millhand/lease'
import type { Clock } from '@millhand/process'
import type { Collection } from '@millhand/store'
import type { Sample } from '@millhand/telemetry'
import { poolOf } from './delivery/new-delivery.ts'
import type { Deliveries } from './delivery.ts'
import type { SpilledEvent } from './intake/overflow-event.ts'
import type { Webhooks } from './webhook.ts'

export interface BacklogDeps {
  readonly deliveries: Pick<Deliveries, 'count' | 'find'>
  readonly webhooks: Pick<Webhooks, 'count'>
  readonly spill: Pick<Collection<SpilledEvent>, 'count'>
  readonly clock: Pick<Clock, 'now'>
}

/** As many are looked at, so that a look at a million costs no more than one at these. */
const COUNTED = 10_000

export async function readBacklog({ deliveries, webhooks, spill, clock }: BacklogDeps): Promise<Sample[]> {
  const now = clock.now()
  const ofModes = (['live', 'test'] as const).map(async (mode): Promise<Sample[]> => {
    const pool = poolOf(mode)
    const waiting = { equals: [pool], after: [0], before: [noDueTime] }
    const [ready, waits, running, [oldest], [next]] = await Promise.all([
      deliveries.count('ready_since', { equals: [pool] }, COUNTED),
      deliveries.count('due', waiting, COUNTED),
      deliveries.count('due', { equals: [pool, 0] }, COUNTED),
      deliveries.find('ready_since', { equals: [pool], limit: 1 }),
      deliveries.find('due', { ...waiting, limit: 1 }),
    ])
    const counts = { ready, waiting: waits, running }
    // One that is due and that nobody has made ready could be tried as well.
    const since = Math.min(oldest?.ready_at ?? now, next?.due_at ?? now)
    return [
      ...(['ready', 'waiting', 'running'] as const).map(state => ({
        name: 'millhand_webhook_deliveries' as const,
        labels: { mode, state },
        value: counts[state],
      })),
      { name: 'millhand_webhook_oldest_ready_seconds', labels: { mode }, value: Math.max(now - since, 0) / 1000 },
    ]
  })
  const disabled = (['requested', 'failing', 'gone'] as const).map(async (reason): Promise<Sample> => {
    const value = await webhooks.count('disabled', { equals: [reason] }, COUNTED)
    return { name: 'millhand_webhook_endpoints_disabled', labels: { reason }, value }
  })
  const spilled = spill.count('primary', { equals: [] }, COUNTED)
  return [
    ...(await Promise.all(ofModes)).flat(),
    ...(await Promise.all(disabled)),
    { name: 'millhand_webhook_spilled_events', labels: {}, value: await spilled },
  ]
}
