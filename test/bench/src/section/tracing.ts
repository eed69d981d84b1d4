/** What traces cost: durable creates with 1 % of them sampled, beside the same server without traces, in turn. */
import { startOtlpReceiver } from '@millhand/test-servers'
import { alternate } from '../alternate.ts'
import { digitsTasks } from '../digits-task.ts'
import { type Figure, median } from '../figure.ts'
import { plansWith } from '../plans-file.ts'
import { acceptOnly, targetOf, type Workbench } from '../workbench.ts'

const connections = 64
/** As in `accept`. */
const MOST_QUEUED = 1_000_000_000

export async function tracing(workbench: Workbench): Promise<Figure[]> {
  const { seconds, rounds } = workbench
  await using collector = await startOtlpReceiver()
  const env = { ...acceptOnly, ...plansWith('max_queued', MOST_QUEUED, workbench.folder()) }
  const sampling = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.grpc,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.01',
  }
  await using traced = await workbench.server({ env: { ...env, ...sampling } })
  await using plain = await workbench.server({ env })
  // The same code and load once more: what differs between these two is the machine.
  await using again = await workbench.server({ env })
  const requests = await digitsTasks(plain)
  const plan = { connections, requests, expect: { status: 201 }, until: { seconds } }

  const { sampled, off, other } = await alternate(rounds, {
    sampled: () => workbench.measure(targetOf(traced), plan),
    off: () => workbench.measure(targetOf(plain), plan),
    other: () => workbench.measure(targetOf(again), plan),
  })
  if (collector.spans.length === 0) throw new Error('no span came to the collector')
  return [
    {
      section: 'tracing',
      name: `durable creates, ${connections} connections, 1 % sampled`,
      unit: '/s',
      rounds: sampled.map(round => round.perSecond),
      limits: [
        { name: 'traces off', rounds: off.map(round => round.perSecond), leastRatio: 0.97 },
        { name: 'off, another process', rounds: other.map(round => round.perSecond) },
      ],
      details: {
        server_cpu_us: median(sampled.map(round => round.cpu)),
        off_cpu_us: median(off.map(round => round.cpu)),
        other_cpu_us: median(other.map(round => round.cpu)),
      },
    },
  ]
}
