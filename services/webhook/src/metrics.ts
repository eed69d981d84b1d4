/** What the service tells of itself whenever metrics are read. */
import type { GaugeSample, Metrics } from '@millhand/telemetry'
import type { ConsumerLag } from './intake/consumer-lag.ts'

export interface Gauges {
  /** Whether this process is the owner. */
  readonly owns: () => boolean
  readonly lag: () => Promise<ConsumerLag>
  readonly backlog: () => Promise<readonly GaugeSample[]>
}

export function registerGauges(metrics: Pick<Metrics, 'gauges'>, { owns, lag, backlog }: Gauges): void {
  metrics.gauges(async () => [{ name: 'millhand_webhook_owner', labels: {}, value: Number(owns()) }])
  metrics.gauges(async () => {
    const { events, seconds } = await lag()
    return [
      { name: 'millhand_webhook_intake_behind_events', labels: {}, value: events },
      { name: 'millhand_webhook_intake_behind_seconds', labels: {}, value: seconds },
    ]
  })
  metrics.gauges(backlog)
}
