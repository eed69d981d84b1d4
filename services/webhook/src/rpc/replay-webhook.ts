import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt'
import type { HandlerContext } from '@connectrpc/connect'
import { type Fault, fail, failIf, type Ids } from '@millhand/api'
import type { ReplayWebhookRequest, WebhookReplay } from '@millhand/api/gen/millhand/webhook/v1/webhook_pb.ts'
import { type Clock, KeyedMutex } from '@millhand/process'
import { idOf, principal } from '@millhand/rpc'
import { typeFaults } from '../event-types.ts'
import type { ReplayRecord, Replays } from '../replay/replay.ts'
import { keptMs } from '../retention.ts'
import { requireWebhook, type Webhooks } from '../webhook.ts'

export interface ReplayWebhookDeps {
  readonly webhooks: Webhooks
  readonly replays: Replays
  readonly clock: Clock
  readonly ids: Ids
}

/** How many of a webhook's replays may be under way. */
const MAX_OPEN = 5

/**
 * Takes down that events are to be delivered again; the owner does it. A second call of the same operation answers with
 * what the first has taken down. Of several processes each may let in one more where they count at the same moment.
 */
export const replayWebhook = ({ webhooks, replays, clock, ids }: ReplayWebhookDeps) => {
  const mutex = new KeyedMutex()
  return async (req: ReplayWebhookRequest, call: HandlerContext): Promise<WebhookReplay> => {
    const { tenant } = principal(call)
    const webhook = await requireWebhook(webhooks, tenant, req.id)
    const id = `${webhook.id}/${idOf('req', call, ids)}`
    const made = await replays.get(tenant, id)
    if (made) return replayMessage(made)
    if (webhook.status !== 'enabled') throw fail('invalid_state', 'The webhook is disabled: enable it to replay to it.')
    const now = clock.now()
    const period = periodOf(req, now)
    failIf([...periodFaults(period, now), ...typeFaults('types', req.types)])
    const replay: ReplayRecord = {
      tenant,
      id,
      version: 1,
      webhook_id: webhook.id,
      status: 'open',
      ...period,
      types: req.types,
      created_at: now,
    }
    await mutex.runExclusive(webhook.id, async () => {
      const open = await replays.count('open_of_webhook', { equals: [tenant, webhook.id] }, MAX_OPEN)
      if (open >= MAX_OPEN) {
        throw fail('invalid_state', `${MAX_OPEN} replays to this webhook are under way, which is as many as may be.`)
      }
      await replays.write({ kind: 'insert', document: replay, events: [] })
    })
    return replayMessage((await replays.get(tenant, id)) ?? replay)
  }
}

type Period = Pick<ReplayRecord, 'since' | 'until'>

/** What is to come yet is delivered anyway. */
const periodOf = ({ since, until }: ReplayWebhookRequest, now: number): Period => ({
  since: since ? timestampMs(since) : now,
  until: Math.min(until ? timestampMs(until) : now, now),
})

function periodFaults({ since, until }: Period, now: number): Fault[] {
  const fault = (says: string) => [{ param: 'since', code: 'out_of_range', message: `\`since\` ${says}.` }]
  if (since < now - keptMs) return fault('must be at most 30 days ago: older events are not kept')
  return since > until ? fault('must be before `until` and not in the future') : []
}

const replayMessage = ({ webhook_id, since, until, types }: ReplayRecord): WebhookReplay => ({
  $typeName: 'millhand.webhook.v1.WebhookReplay',
  webhookId: webhook_id,
  since: timestampFromMs(since),
  until: timestampFromMs(until),
  types: [...types],
})
