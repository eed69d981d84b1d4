/** What an executor counts and tells of itself. */
import { processMetrics } from '@millhand/telemetry'

export interface ExecutorState {
  readonly slots: number
  readonly busy: number
  readonly processes: number
  readonly memoryBytes: number
}

export type ExecutorMetrics = ReturnType<typeof executorMetrics>

export const executorMetrics = (pool: string) => ({
  claimFailed: processMetrics.boundCounter('millhand_executor_claim_failures_total', { pool }),
  /** Hears of how many tasks share a run. */
  runBegan: processMetrics.boundHistogram('millhand_run_tasks', { pool }),
  /** Until it is disposed of. */
  observe(read: () => ExecutorState): Disposable {
    const labels = { pool }
    const end = processMetrics.observe(() => {
      const { slots, busy, processes, memoryBytes } = read()
      return [
        { name: 'millhand_executor_slots', labels, value: slots },
        { name: 'millhand_executor_busy_slots', labels, value: busy },
        { name: 'millhand_model_processes', labels, value: processes },
        { name: 'millhand_model_memory_bytes', labels, value: memoryBytes },
      ]
    })
    return { [Symbol.dispose]: end }
  },
})

const loads = processMetrics.counter('millhand_model_loads_total')
const unloads = processMetrics.counter('millhand_model_unloads_total')

/** `model`: a name of a bounded set. The other counts of it are there from then on, so that their first is seen as one more. */
export function countLoad(model: string, outcome: 'loaded' | 'failed'): void {
  for (const each of ['loaded', 'failed'] as const) loads({ model, outcome: each }, Number(each === outcome))
  unloads({ model }, 0)
}

export const countUnload = (model: string): void => unloads({ model })
