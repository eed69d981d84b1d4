/** Tasks as they are after what happened to them. */
import assert from 'node:assert/strict'
import { isRefusal, type Outcome } from '@millhand/lease'
import type { TaskRecord } from '../task.ts'
import { type TaskCause, taskTransition } from '../transition.ts'

const transition = taskTransition({ retentionMs: 1_000, pricePerSecondMicros: 20, gpuType: 'cpu', random: () => 0 })
const report = { compute_ms: 1, group_version: '', engine_kind: '', engine_name: '', provider: '' }

/** A task that lives through the causes, a second for each. */
export function life(...causes: readonly (TaskCause | ((task: TaskRecord) => TaskCause))[]): TaskRecord {
  const created: TaskRecord = {
    ...{
      tenant: 'acct_a/live',
      id: 'task_a',
      version: 1,
      account_id: 'acct_a',
      mode: 'live',
      plan: 'starter',
      type: 'inference',
    },
    ...{ pool: 'live/onnx', group: 'digits', model_version: 'sha256:a', rank: 1, alone: false, status: 'queued' },
    ...{ metadata: {}, queue_timeout_s: 3_600, run_timeout_s: 600, max_attempts: 3, attempt: 0, evictions: 0 },
    ...{ returns: 0, created_at: 0, backoff_ms: 0, due_at: 3_600_000, lease_id: '', resource_version: 1 },
    history: [{ version: 1, status: 'queued', at: 0, attempt: 0 }],
  }
  return causes.reduce<TaskRecord>((task, cause, n) => {
    const after = transition(task, typeof cause === 'function' ? cause(task) : cause, (n + 1) * 1_000)
    assert.ok(!isRefusal(after), JSON.stringify(after))
    return after
  }, created)
}

export const claim: TaskCause = { kind: 'claimed', lease_id: 'lease' }
export const emit = (task: TaskRecord): TaskCause => ({
  kind: 'emitted',
  held: task,
  batch: { from: task.history.at(-1)?.emitted ?? 0, count: 2, bytes: 10 },
})
export const finish =
  (outcome: Outcome) =>
  (task: TaskRecord): TaskCause => ({ kind: 'finished', held: task, outcome, report })
export const succeed = finish({ kind: 'output', output: '1' })
