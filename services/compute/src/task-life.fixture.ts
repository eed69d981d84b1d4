/** A compute task as it is after what happened to it. */
import assert from 'node:assert/strict'
import { isRefusal, type Outcome, type RunReport } from '@millhand/lease'
import type { TaskCause } from '@millhand/task'
import { computeTransition } from './compute.ts'
import type { TaskRecord } from './task.ts'

const at = 1_000_000

/** Accepted just now, with a file for its input. */
export const queued: TaskRecord = {
  tenant: 'acct_a/live',
  id: 'task_a',
  version: 1,
  account_id: 'acct_a',
  mode: 'live',
  plan: 'starter',
  type: 'inference',
  pool: 'live/onnx',
  group: 'digits',
  model_version: 'sha256:a',
  rank: 1,
  alone: false,
  status: 'queued',
  input_file: 'file_b',
  uses_file: 'yes',
  metadata: {},
  queue_timeout_s: 60,
  run_timeout_s: 600,
  max_attempts: 2,
  attempt: 0,
  evictions: 0,
  returns: 0,
  created_at: at,
  backoff_ms: 0,
  due_at: at + 60_000,
  lease_id: '',
  resource_version: 1,
  history: [{ version: 1, status: 'queued', at, attempt: 0 }],
}

const transition = computeTransition({
  retentionMs: 86_400_000,
  prices: { computeSecond: gpuType => (gpuType === 'cpu' ? 20_000 : 1_000_000) },
  random: () => 0.5,
})

/** Each state of a task that lives through the causes, 100 ms for each. */
export function lived(task: TaskRecord, ...causes: readonly ((task: TaskRecord) => TaskCause)[]): TaskRecord[] {
  const states = [task]
  for (const [n, cause] of causes.entries()) {
    const after = transition(task, cause(task), at + (n + 1) * 100)
    assert.ok(!isRefusal(after), JSON.stringify(after))
    states.push(after)
    task = after
  }
  return states
}

export const report: RunReport = {
  compute_ms: 12.2,
  group_version: 'sha256:b',
  engine_kind: 'onnx',
  engine_name: 'onnxruntime',
  provider: 'cpu',
}

export const claim = (): TaskCause => ({ kind: 'claimed', lease_id: 'lease_1' })
export const cancel = (): TaskCause => ({ kind: 'cancel' })
export const lose = (held: TaskRecord): TaskCause => ({ kind: 'lease_ended', held })
export const rest = (): TaskCause => ({ kind: 'backoff_ended' })
export const finish =
  (outcome: Outcome, ran = report) =>
  (held: TaskRecord): TaskCause => ({ kind: 'finished', held, outcome, report: ran })
export const succeed = finish({ kind: 'output', output: '{"digit":3}' })
export const fail = finish({ kind: 'failure', failure: { code: 'model_failed', message: 'No.', retryable: false } })
