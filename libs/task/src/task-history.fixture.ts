/** Tasks as they are after what happened to them. */
import assert from 'node:assert/strict'
import { isRefusal, type Outcome } from '@millhand/lease'
import { type Errand, errandAt, errandTransition } from './errand.fixture.ts'
import type { TaskCause } from './transition.ts'

const report = { compute_ms: 1, group_version: '', engine_kind: '', engine_name: '', provider: '' }

/** A task that lives through the causes, a second for each. */
export function taskAfter(...causes: readonly (TaskCause | ((task: Errand) => TaskCause))[]): Errand {
  return causes.reduce<Errand>(
    (task, cause, n) => {
      const after = errandTransition(task, typeof cause === 'function' ? cause(task) : cause, (n + 1) * 1_000)
      assert.ok(!isRefusal(after), JSON.stringify(after))
      return after
    },
    { ...errandAt(0), queue_timeout_s: 3_600, due_at: 3_600_000 },
  )
}

export const claim: TaskCause = { kind: 'claimed', lease_id: 'lease' }
export const emit = (task: Errand): TaskCause => ({
  kind: 'emitted',
  held: task,
  batch: { from: task.history.at(-1)?.emitted ?? 0, count: 2, bytes: 10 },
})
export const finish =
  (outcome: Outcome) =>
  (task: Errand): TaskCause => ({ kind: 'finished', held: task, outcome, report })
export const succeed = finish({ kind: 'output', output: '1' })
