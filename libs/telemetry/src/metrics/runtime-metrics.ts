/** What the runtime says of this process. Costs nothing until metrics are read for the first time. */
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import type { Metrics } from './metrics.ts'

/** Until the returned call. */
export function observeRuntime(metrics: Pick<Metrics, 'observe'>): () => void {
  let delay: ReturnType<typeof monitorEventLoopDelay> | undefined
  let before = performance.eventLoopUtilization()
  const end = metrics.observe(() => {
    if (delay === undefined) {
      delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
      delay.enable()
    }
    const [p99, max] = delay.count === 0 ? [0, 0] : [late(delay.percentile(99)), late(delay.max)]
    delay.reset()
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    const { user, system } = process.cpuUsage()
    const labels = {}
    return [
      { name: 'nodejs_eventloop_delay_p99_seconds', labels, value: p99 },
      { name: 'nodejs_eventloop_delay_max_seconds', labels, value: max },
      { name: 'nodejs_eventloop_utilization_ratio', labels, value: utilization },
      { name: 'process_memory_usage_bytes', labels, value: process.memoryUsage.rss() },
      { name: 'process_cpu_time_seconds_total', labels: { cpu_mode: 'user' }, value: user / 1e6 },
      { name: 'process_cpu_time_seconds_total', labels: { cpu_mode: 'system' }, value: system / 1e6 },
      { name: 'process_uptime_seconds', labels, value: process.uptime() },
    ]
  })
  return () => {
    delay?.disable()
    end()
  }
}

const RESOLUTION_MS = 20

/** Node's histogram is of the times between two ticks, in nanoseconds. */
const late = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1e3)
