import type { HandlerContext } from '@connectrpc/connect'
import type { Ids } from '@millhand/api'
import type { ReplayWebhookRequest, WebhookReplay } from '@millhand/api/gen/millhand/webhook/v1/webhook_pb.ts'
import type { Clock } from '@millhand/runner'
import type { Replays } from '../replay/replay.ts'
import type { Webhooks } from '../webhook.ts'

export interface ReplayWebhookDeps {
  readonly webhooks: Webhooks
  readonly replays: Replays
  readonly clock: Clock
  readonly ids: Ids
}

/** Takes down that events are to be delivered again; the owner does it. */
export const replayWebhook =
  (deps: ReplayWebhookDeps) =>
  async (req: ReplayWebhookRequest, call: HandlerContext): Promise<WebhookReplay> => {
    throw new Error(`${deps.clock.now()} ${req} ${call}`)
  }
