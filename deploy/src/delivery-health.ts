/** Whether webhooks are told in time, for `/status`. */
import type { Client } from '@connectrpc/connect'
import type { BacklogService } from '@millhand/api/gen/millhand/webhook/v1/backlog_service_pb.ts'
import { type Clock, everyInterval, type Health } from '@millhand/process'

export interface Deliveries {
  readonly backlog: Client<typeof BacklogService>
  /** Of what the rest does not wait for: requests are served however late webhooks are. */
  readonly health: Pick<Health, 'set'>
  readonly clock: Clock
}

const EVERY_MS = 5_000
const ANSWER_MS = 4_000

/** Asks every five seconds, until the signal ends. */
export async function watchDeliveryHealth({ backlog, health, clock }: Deliveries, signal: AbortSignal): Promise<void> {
  await everyInterval(clock, EVERY_MS, signal, async () => {
    try {
      const { isLate, behindEvents, behindSeconds } = await backlog.getBacklog({}, { timeoutMs: ANSWER_MS, signal })
      const behind = `${behindEvents} events, for ${Math.round(behindSeconds)} s`
      health.set(NAME, !isLate, `webhooks are behind what happens: ${behind}`)
    } catch (error) {
      if (!signal.aborted) health.set(NAME, false, (error as Error).message)
    }
  })
}

const NAME = 'deliveries'
