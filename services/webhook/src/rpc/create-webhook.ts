import type { HandlerContext } from '@connectrpc/connect'
import { fail, failIf } from '@millhand/api'
import {
  type CreateWebhookRequest,
  SignatureScheme,
  type Webhook,
} from '@millhand/api/gen/millhand/webhook/v1/webhook_pb.ts'
import { KeyedMutex } from '@millhand/process'
import { idOf, principal, requestIdKey } from '@millhand/rpc'
import { urlFaults } from '../endpoint-url.ts'
import { requireReadable } from '../event-scopes.ts'
import { typeFaults } from '../event-types.ts'
import { shownSecret } from '../secret/secret.ts'
import { firstSecret, isMadeBy, openSecret, type SecretMaker } from '../secret/stored-secret.ts'
import { maxWebhooks, type WebhookRecord, type Webhooks, webhookNotFound } from '../webhook.ts'
import type { WebhookDeps } from '../webhook-deps.ts'
import { webhookEvent } from '../webhook-events.ts'
import { webhookMessage } from '../webhook-message.ts'
import { makerOf } from './secret-maker.ts'

/**
 * Makes an endpoint. The answer is the only one that shows its secret; a second call of the same operation shows it again.
 *
 * One process makes one at a time for a tenant, so it lets in no more than may be. Of several, each may let in one more
 * where they count at the same moment.
 */
export const createWebhook = (deps: WebhookDeps) => {
  const mutex = new KeyedMutex()
  return async (req: CreateWebhookRequest, call: HandlerContext): Promise<Webhook> => {
    const { webhooks, sealer, clock, ids } = deps
    const { accountId, mode, tenant, scopes } = principal(call)
    const maker = makerOf(call)
    const id = idOf('wh', call, ids)
    const before = await madeBefore(deps, { tenant, id }, maker)
    if (before) return before
    failIf([...urlFaults(deps, req.url, mode), ...typeFaults('events', req.events)])
    requireReadable(req.events, scopes)
    const now = clock.now()
    const signature = req.signature === SignatureScheme.V1A ? 'v1a' : 'v1'
    const webhook: WebhookRecord = {
      tenant,
      id,
      version: 1,
      account_id: accountId,
      mode,
      url: req.url,
      events: req.events,
      description: req.description,
      signature,
      metadata: req.metadata,
      status: 'enabled',
      ...firstSecret(sealer, { tenant, id }, signature, maker),
      created_at: now,
      updated_at: now,
      resource_version: 1,
    }
    const event = webhookEvent('webhook.created', webhook, { ids, now, requestId: call.values.get(requestIdKey) })
    const result = await mutex.runExclusive(tenant, async () => {
      await requireRoom(webhooks, tenant)
      return await webhooks.write({ kind: 'insert', document: webhook, events: [event] })
    })
    if (result.kind === 'written') return webhookMessage(webhook, now, shownSecret(openSecret(sealer, webhook)))
    const made = await madeBefore(deps, webhook, maker) // By another try of the same operation, at the same time.
    if (!made) throw fail('conflict', `The id ${id} is taken.`)
    return made
  }
}

/** What an earlier try of the same operation has made. Fails where that can't be shown any more. */
async function madeBefore(
  { webhooks, sealer, clock }: WebhookDeps,
  { tenant, id }: Pick<WebhookRecord, 'tenant' | 'id'>,
  maker: SecretMaker,
): Promise<Webhook | undefined> {
  const made = maker.operation === undefined ? undefined : await webhooks.get(tenant, id)
  if (!made) return undefined
  if (made.status === 'deleted') throw webhookNotFound(id)
  if (!isMadeBy(made, maker))
    throw fail('conflict', `An earlier try made the webhook ${id}; its secret was rotated since.`)
  return webhookMessage(made, clock.now(), shownSecret(openSecret(sealer, made)))
}

async function requireRoom(webhooks: Webhooks, tenant: string): Promise<void> {
  const counts = await Promise.all(
    ['enabled', 'disabled'].map(status => webhooks.count('by_status', { equals: [tenant, status] }, maxWebhooks)),
  )
  if (counts.reduce((sum, count) => sum + count) < maxWebhooks) return
  throw fail('invalid_state', `There are ${maxWebhooks} webhooks, which is as many as may be: delete one first.`)
}
