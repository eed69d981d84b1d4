import type { HandlerContext } from '@connectrpc/connect'
import { enumWords, firstIdAt } from '@millhand/api'
import { Order } from '@millhand/api/gen/millhand/type/v1/mode_pb.ts'
import {
  type GetWebhookRequest,
  type ListWebhooksRequest,
  type ListWebhooksResponse,
  type Webhook,
  WebhookStatusSchema,
} from '@millhand/api/gen/millhand/webhook/v1/webhook_pb.ts'
import { principal } from '@millhand/rpc'
import { readPage, settlesAfterMs } from '@millhand/store'
import { requireWebhook } from '../webhook.ts'
import type { WebhookDeps } from '../webhook-deps.ts'
import { webhookMessage } from '../webhook-message.ts'

export const getWebhook =
  ({ webhooks, clock }: WebhookDeps) =>
  async ({ id }: GetWebhookRequest, call: HandlerContext): Promise<Webhook> =>
    webhookMessage(await requireWebhook(webhooks, principal(call).tenant, id), clock.now())

/** Newest first. */
export const listWebhooks =
  ({ webhooks, cursors, clock }: WebhookDeps) =>
  async (req: ListWebhooksRequest, call: HandlerContext): Promise<ListWebhooksResponse> => {
    const now = clock.now()
    const asked = req.status && statusWords.get(req.status)
    const { data, more } = await readPage({
      find: webhooks.find,
      tenant: principal(call).tenant,
      range: { after: undefined, before: req.order === Order.ASC ? firstIdAt('wh', now - settlesAfterMs) : undefined },
      passes: ({ status }) => (asked === undefined ? status !== 'deleted' : status === asked),
      list: ['webhooks', asked],
      cursors,
      request: req,
    })
    return {
      $typeName: 'millhand.webhook.v1.ListWebhooksResponse',
      data: data.map(webhook => webhookMessage(webhook, now)),
      ...more,
    }
  }

const statusWords = enumWords(WebhookStatusSchema)
