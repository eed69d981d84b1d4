/** The life of a workforce task: that of any task, and what its run is billed. */
import { MOST_COUNT, quantity } from '@millhand/api'
import { isRefusal, type Refusal, type RunReport } from '@millhand/lease'
import type { Prices } from '@millhand/plans'
import { computeBill, type TaskCause, type TaskRules, taskTransition } from '@millhand/task'
import type { TaskRecord } from './task.ts'

export interface TransitionRules extends Pick<TaskRules<TaskRecord>, 'retentionMs' | 'random'> {
  readonly prices: Pick<Prices, 'workforceSecond'>
}

/** The task after a cause, or why it can't be. Pure but for the jitter that it is given. */
export function workforceTransition({ retentionMs, prices, random }: TransitionRules) {
  const transition = taskTransition<TaskRecord>({
    retentionMs,
    random,
    bill: (task, report, now) => billed(prices.workforceSecond(now), task, report),
  })
  return (task: TaskRecord, cause: TaskCause, now: number): TaskRecord | Refusal => {
    const after = transition(task, cause, now)
    if (isRefusal(after)) return after
    if (cause.kind === 'finished') return { ...after, ...left(after, cause.report) }
    return cause.kind === 'lease_ended' ? { ...after, ...spent(after, task.reserved_micros) } : after
  }
}

/** What a run leaves: files, where its output is the task's; where it is tried again, that much less to be spent. */
function left(
  task: TaskRecord,
  { artifact_files: artifacts = [], model_cost_micros: cost }: RunReport,
): Partial<TaskRecord> {
  if (task.status === 'succeeded') return artifacts.length > 0 ? { artifacts } : {}
  return spent(task, cost)
}

/** Of a run that nobody heard of any more, all that it said it may cost counts. */
const spent = ({ status, spent_micros = 0 }: TaskRecord, cost = 0): Partial<TaskRecord> =>
  status === 'queued' && cost > 0 ? { spent_micros: quantity(spent_micros + cost) } : {}

/** What the attempt that ends the task used and costs: its compute, and what language models did. */
function billed(nanosPerSecond: number, task: TaskRecord, report: RunReport): Partial<TaskRecord> {
  const { model_cost_micros = 0 } = report
  const input_tokens = quantity(report.input_tokens ?? 0, MOST_COUNT)
  const output_tokens = quantity(report.output_tokens ?? 0, MOST_COUNT)
  const { queue_ms, compute_ms, cost_micros } = computeBill(task, report, nanosPerSecond)
  return {
    usage: { queue_ms, compute_ms, input_tokens, output_tokens },
    cost_micros: task.mode === 'test' ? 0 : quantity(cost_micros + model_cost_micros),
  }
}
