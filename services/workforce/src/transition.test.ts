import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { TaskCause } from '@millhand/task'
import type { TaskRecord } from './task.ts'
import { workforceTransition } from './transition.ts'

const transition = workforceTransition({
  retentionMs: 1_000,
  prices: { workforceSecond: () => 20_000 },
  random: () => 0,
})

const running = {
  id: 'wtask_a',
  tenant: 'acct_a/live',
  mode: 'live',
  status: 'running',
  lease_id: 'lease_1',
  attempt: 1,
  evictions: 0,
  returns: 0,
  max_attempts: 3,
  resource_version: 2,
  created_at: 0,
  history: [],
} as Partial<TaskRecord> as TaskRecord

const report = {
  compute_ms: 5,
  group_version: '1',
  engine_kind: 'rules',
  engine_name: 'kind',
  provider: '',
  artifact_files: ['file_a'],
}
const finished = (outcome: Extract<TaskCause, { kind: 'finished' }>['outcome']): TaskCause => ({
  kind: 'finished',
  held: { lease_id: 'lease_1', attempt: 1 },
  outcome,
  report,
})

it('a task names the files that its output names, and none of a run whose output nobody gets', () => {
  const output = finished({ kind: 'output', output: '{}' })
  const failed = finished({ kind: 'failure', failure: { code: 'bad', message: 'Bad.', retryable: false } })
  const named = (task: TaskRecord, cause: TaskCause) => {
    const after = transition(task, cause, 10)
    assert.ok('status' in after)
    return [after.status, after.artifacts]
  }
  assert.deepEqual(named(running, output), ['succeeded', ['file_a']])
  assert.deepEqual(named({ ...running, status: 'cancelling' }, output), ['cancelled', undefined])
  assert.deepEqual(named(running, failed), ['failed', undefined])
})

it('what language models cost in a run is missing from what the next one may cost', () => {
  const failure = { code: 'model_unavailable', message: 'Away.', retryable: true }
  const again = finished({ kind: 'failure', failure })
  const spending: TaskCause =
    again.kind === 'finished' ? { ...again, report: { ...report, model_cost_micros: 300 } } : again
  const once = transition(running, spending, 10)
  assert.ok('status' in once)
  assert.deepEqual([once.status, once.spent_micros], ['queued', 300])
  const twice = transition({ ...running, spent_micros: 300 }, spending, 10)
  assert.ok('status' in twice)
  assert.equal(twice.spent_micros, 600)
})

it('what a lost run said it may cost is missing from what the next one may cost, and only once', () => {
  const held = { lease_id: 'lease_1', attempt: 1 }
  const reserving: TaskCause = { kind: 'reserved', held, cost_micros: 300 }
  const lost = (task: TaskRecord) => {
    const after = transition(task, { kind: 'lease_ended', held }, 10)
    assert.ok('status' in after && after.status === 'queued')
    return after
  }
  const spending = transition({ ...running, spent_micros: 200 }, reserving, 5)
  assert.ok('status' in spending)
  assert.deepEqual([lost(running).spent_micros, lost(spending).spent_micros], [undefined, 500])
  assert.equal(lost({ ...lost(spending), status: 'running', lease_id: 'lease_1' }).spent_micros, 500)
})
