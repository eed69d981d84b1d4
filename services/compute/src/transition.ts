/** The life of a compute task: that of any task, what its run is billed, and until when its input file is needed. */
import { isRefusal, type Refusal, type RunReport } from '@millhand/lease'
import { computeBill, hasEnded, type TaskCause, type TaskRules, taskTransition } from '@millhand/task'
import type { TaskRecord } from './task.ts'

export interface TransitionRules extends Pick<TaskRules<TaskRecord>, 'retentionMs' | 'random'> {
  /** Millionths of a dollar for a second of compute on `gpuType`; the sandbox costs nothing. */
  readonly pricePerSecondMicros: number
  readonly gpuType: string
}

/** The task after `cause`, or why it can't be. Pure but for the jitter that it is given. */
export function computeTransition(rules: TransitionRules) {
  const { retentionMs, random } = rules
  const live = taskTransition<TaskRecord>({ retentionMs, random, bill: (task, report) => billed(rules, task, report) })

  return (task: TaskRecord, cause: TaskCause, now: number): TaskRecord | Refusal => {
    const after = live(task, cause, now)
    if (isRefusal(after) || after.uses_file === undefined || !hasEnded(after)) return after
    return { ...after, uses_file: undefined }
  }
}

/** What ran, and usage and cost of the attempt that ends the task. Contract, section 4, "Billing". */
function billed(rules: TransitionRules, task: TaskRecord, report: RunReport): Partial<TaskRecord> {
  const { queue_ms, compute_ms, cost_micros } = computeBill(task, report, rules.pricePerSecondMicros)
  const { engine_kind: kind, engine_name: name, provider } = report
  return {
    usage: { queue_ms, compute_ms, gpu_type: rules.gpuType, items: 1 },
    cost_micros,
    ...(kind !== '' && { engine: { kind, name, provider }, model_version: report.group_version || task.model_version }),
  }
}
