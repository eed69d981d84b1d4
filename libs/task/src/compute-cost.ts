import { MOST_COUNT, quantity, runMicros } from '@millhand/api'
import type { RunReport } from '@millhand/lease'
import { acceptedAt, type TaskBase } from './task.ts'

/**
 * What the compute of the run that ends a task is billed: milliseconds in the queue and of compute, and the cost in
 * micro-dollars at a price in nano-dollars a second. The sandbox costs nothing. Contract, section 4, "Billing".
 */
export function computeBill(task: TaskBase, report: RunReport, nanosPerSecond: number) {
  const queue_ms = Math.max(0, (task.started_at ?? acceptedAt(task)) - acceptedAt(task))
  const compute_ms = quantity(Math.ceil(report.compute_ms), MOST_COUNT)
  const cost_micros = task.mode === 'test' ? 0 : runMicros(compute_ms, nanosPerSecond)
  return { queue_ms, compute_ms, cost_micros }
}
