import type { Backlog } from '@millhand/api/gen/millhand/webhook/v1/backlog_service_pb.ts'
import type { ConsumerLag } from '../intake/consumer-lag.ts'

/** A new owner takes some seconds, a broker that starts again some more. */
const LATE_AFTER_S = 60

/** Tells how far webhooks are behind what happens. */
export const getBacklog =
  ({ lag }: { readonly lag: () => Promise<ConsumerLag> }) =>
  async (): Promise<Backlog> => {
    const { events, seconds } = await lag()
    return {
      $typeName: 'millhand.webhook.v1.Backlog',
      behindEvents: events,
      behindSeconds: seconds,
      isLate: seconds > LATE_AFTER_S,
    }
  }
