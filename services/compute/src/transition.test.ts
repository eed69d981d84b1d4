import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { countedByOwner, type Held, isRefusal, noDueTime, type Outcome, type RunReport } from '@millhand/lease'
import fc from 'fast-check'
import type { Batch } from './stream/emission.ts'
import { hasEnded, type TaskRecord, type TaskStatus } from './task.ts'
import { type TaskCause, taskTransition } from './transition.ts'

const at = 1_000_000
const rules = { retentionMs: 30 * 86_400_000, pricePerSecondMicros: 20, gpuType: 'cpu', random: () => 0.5 }
const transition = taskTransition(rules)
const report: RunReport = {
  compute_ms: 12.2,
  group_version: 'sha256:b',
  engine_kind: 'onnx',
  engine_name: 'onnxruntime',
  provider: 'cpu',
}

const queued: TaskRecord = {
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
  input: '[1]',
  metadata: {},
  queue_timeout_s: 60,
  run_timeout_s: 600,
  max_attempts: 3,
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
const running: TaskRecord = {
  ...queued,
  status: 'running',
  attempt: 1,
  started_at: at + 100,
  lease_id: 'lease_1',
  due_at: countedByOwner,
  resource_version: 2,
  history: [...queued.history, { version: 2, status: 'running', at: at + 100, attempt: 1 }],
}
const lastAttempt: TaskRecord = { ...running, attempt: 3 }
const evictedBefore: TaskRecord = { ...running, attempt: 3, evictions: 2 }
const cancelling: TaskRecord = { ...running, status: 'cancelling', cancel_requested_at: at + 200, resource_version: 3 }
const retrying: TaskRecord = { ...queued, attempt: 1, backoff_ms: 1_000, due_at: countedByOwner, resource_version: 3 }
const ended = (status: TaskStatus): TaskRecord => ({
  ...queued,
  status,
  due_at: noDueTime,
  finished_at: at + 500,
  resource_version: 4,
})

const held = { lease_id: 'lease_1', attempt: 1 }
const claimed: TaskCause = { kind: 'claimed', lease_id: 'lease_1' }
const finished = (outcome: Outcome, by = held): TaskCause => ({ kind: 'finished', held: by, outcome, report })
const output: Outcome = { kind: 'output', output: '{"digit":3}' }
const outputFile: Outcome = { kind: 'output_file', file: 'file_a', kept_until: at + 86_400_000 }
const retryable: Outcome = {
  kind: 'failure',
  failure: { code: 'model_crashed', message: 'It crashed.', retryable: true },
}
const final: Outcome = { kind: 'failure', failure: { code: 'run_timeout', message: 'Too long.', retryable: false } }
const leaseEnds: TaskCause = { kind: 'lease_ended', held }
const third = { lease_id: 'lease_1', attempt: 3 }

/** Contract, section 4, "States": from, what happens, when, and what comes of it. */
const table: readonly [name: string, from: TaskRecord, cause: TaskCause, now: number, to: TaskStatus | string][] = [
  ['queued is claimed', queued, claimed, at + 100, 'running'],
  ['queued is cancelled', queued, { kind: 'cancel' }, at + 100, 'cancelled'],
  ['queued expires', queued, { kind: 'due' }, at + 60_000, 'expired'],
  ['queued does not expire early', queued, { kind: 'due' }, at + 59_999, 'not_due'],
  ['queued past its time is not claimed', queued, claimed, at + 60_000, 'not_queued'],
  ['a retry’s wait does not count as queueing', retrying, { kind: 'due' }, at + 3_600_000, 'not_due'],
  ['a retry is not claimed during its backoff', retrying, claimed, at + 3_600_000, 'not_ready'],
  ['a retry is claimed once its backoff is over', { ...retrying, backoff_ms: 0 }, claimed, at + 1_000, 'running'],
  ['what waits for no backoff ends none', queued, { kind: 'backoff_ended' }, at + 1_000, 'not_queued'],
  ['a clock that was set back keeps no task waiting', queued, claimed, at - 3_600_000, 'running'],
  ['running succeeds', running, finished(output), at + 300, 'succeeded'],
  ['running succeeds with a file', running, finished(outputFile), at + 300, 'succeeded'],
  ['running fails', running, finished(final), at + 300, 'failed'],
  ['running fails in a retryable way', running, finished(retryable), at + 300, 'queued'],
  ['running fails in a retryable way for the last time', lastAttempt, finished(retryable, third), at + 300, 'failed'],
  ['an eviction costs no attempt', evictedBefore, finished(retryable, third), at + 300, 'queued'],
  ['running loses its executor', running, leaseEnds, at, 'queued'],
  ['running loses its executor for the last time', lastAttempt, { kind: 'lease_ended', held: third }, at, 'failed'],
  ['running loses no lease but its own', lastAttempt, leaseEnds, at + 10_100, 'stale_lease'],
  ['running ends at no time of day', running, { kind: 'due' }, at + 3_600_000, 'not_due'],
  ['running is evicted', running, finished({ kind: 'evicted' }), at + 300, 'queued'],
  ['running is to be cancelled', running, { kind: 'cancel' }, at + 300, 'cancelling'],
  ['running is not claimed', running, claimed, at + 300, 'not_queued'],
  ['a stale lease is refused', running, finished(output, { lease_id: 'lease_0', attempt: 1 }), at + 300, 'stale_lease'],
  [
    'a stale attempt is refused',
    running,
    finished(output, { lease_id: 'lease_1', attempt: 2 }),
    at + 300,
    'stale_lease',
  ],
  [
    'a result without a run is refused',
    queued,
    finished(output, { lease_id: '', attempt: 0 }),
    at + 300,
    'stale_lease',
  ],
  [
    'cancelling is cancelled once the executor has stopped',
    cancelling,
    finished({ kind: 'cancelled' }),
    at + 300,
    'cancelled',
  ],
  ['cancelling never turns succeeded', cancelling, finished(output), at + 300, 'cancelled'],
  ['cancelling never turns succeeded with a file', cancelling, finished(outputFile), at + 300, 'cancelled'],
  ['cancelling never turns failed', cancelling, finished(final), at + 300, 'cancelled'],
  ['cancelling never goes back', cancelling, finished({ kind: 'evicted' }), at + 300, 'cancelled'],
  ['cancelling is cancelled when its lease ends', cancelling, leaseEnds, at + 10_100, 'cancelled'],
  ['cancelling again changes nothing', cancelling, { kind: 'cancel' }, at + 300, 'already_ended'],
  ['data of what is alive stays', running, { kind: 'data_deleted' }, at + 300, 'not_ended'],
]

const emits = (batch: Partial<Batch>, by: Held = held): TaskCause => ({
  kind: 'emitted',
  held: by,
  batch: { from: 0, count: 1, bytes: 1, ...batch },
})
describe('the life of a task', () => {
  for (const [name, from, cause, now, to] of table) {
    it(name, () => {
      const after = transition(from, cause, now)
      assert.equal(isRefusal(after) ? after.refused : after.status, to)
    })
  }

  for (const status of ['succeeded', 'failed', 'cancelled', 'expired'] as const) {
    for (const cause of [claimed, finished(output), { kind: 'cancel' }, leaseEnds, { kind: 'due' }] as const) {
      it(`nothing leaves ${status}: ${cause.kind}`, () => {
        assert.ok(isRefusal(transition({ ...ended(status), lease_id: 'lease_1', attempt: 1 }, cause, at + 99_999_999)))
      })
    }
  }

  it('what a run emits is no change of state', () => {
    const progress = { fraction: 0.5, message: 'halfway', metrics: { loss: 0.25 } }
    const history = [...queued.history, { version: 2, status: 'running', at: at + 100, attempt: 1, emitted: 3 }]
    const after = transition(running, emits({ count: 3, bytes: 20, progress }), at + 4_000)
    assert.deepEqual(after, { ...running, progress, history, emitted_bytes: 20 })
  })

  it('bills the compute time of the attempt that ended the task', () => {
    const after = transition(running, finished(output), at + 300)
    assert.ok(!isRefusal(after))
    assert.deepEqual(after.usage, { queue_ms: 100, compute_ms: 13, gpu_type: 'cpu', items: 1 })
    assert.equal(after.cost_micros, 1) // 13 ms at 20 millionths a second, rounded up
    assert.equal(after.model_version, 'sha256:b')
  })

  it('bills nothing for what expired, was cancelled in the queue or ended by a lost lease', () => {
    for (const after of [
      transition(queued, { kind: 'due' }, at + 60_000),
      transition(queued, { kind: 'cancel' }, at + 1),
      transition(lastAttempt, { kind: 'lease_ended', held: third }, at + 10_100),
      transition(cancelling, leaseEnds, at + 10_100),
    ]) {
      assert.ok(!isRefusal(after) && hasEnded(after) && after.usage === undefined && after.cost_micros === undefined)
    }
  })

  it('waits 1 s, doubling, at most 60 s, with jitter of the upper half', () => {
    const wait = (attempt: number) => {
      const last = { ...running, attempt, max_attempts: 10 }
      const after = transition(last, { kind: 'lease_ended', held: last }, at + 10_100)
      return isRefusal(after) ? 0 : after.backoff_ms
    }
    assert.deepEqual([1, 2, 3, 6, 7, 9].map(wait), [750, 1_500, 3_000, 24_000, 45_000, 45_000])
  })

  it('once its backoff is over a task can be claimed at any time, whatever the clock says', () => {
    const after = transition(retrying, { kind: 'backoff_ended' }, at - 3_600_000)
    assert.ok(!isRefusal(after))
    assert.deepEqual(
      [after.backoff_ms, after.due_at, after.resource_version],
      [0, noDueTime, retrying.resource_version],
    )
  })

  it('an evicted task goes back at once and runs alone', () => {
    const after = transition(running, finished({ kind: 'evicted' }), at + 300)
    assert.ok(!isRefusal(after))
    assert.deepEqual([after.backoff_ms, after.alone, after.evictions, after.attempt], [0, true, 1, 1])
  })

  it('a claim that is given back before its run leaves the queue timeout as it was', () => {
    const back = transition(running, finished({ kind: 'returned' }), at + 300)
    assert.ok(!isRefusal(back))
    assert.deepEqual(
      [back.status, back.due_at, back.started_at, back.alone],
      ['queued', queued.due_at, undefined, false],
    )
    const late = transition(back, { kind: 'due' }, at + 60_000)
    assert.ok(!isRefusal(late) && late.status === 'expired')
    const again = transition(
      transition(back, claimed, at + 400) as TaskRecord,
      finished(retryable, { lease_id: 'lease_1', attempt: 2 }),
      at + 500,
    )
    assert.ok(!isRefusal(again) && again.backoff_ms === 750, 'its first real attempt')
  })

  it('a task whose output is in a file keeps its data as long as the file', () => {
    const after = transition(running, finished(outputFile), at + 300)
    assert.ok(!isRefusal(after))
    assert.deepEqual([after.output_file, after.data_expires_at, after.output], ['file_a', at + 86_400_000, undefined])
    const bare = transition(after, { kind: 'data_deleted' }, at + 400)
    assert.ok(!isRefusal(bare) && bare.output_file === undefined)
  })

  it('no sequence of causes leaves an end, skips a version or runs twice under one lease', () => {
    const someCause = fc.oneof<fc.Arbitrary<(task: TaskRecord, n: number, now: number) => TaskCause>[]>(
      fc.constant((_task, n) => ({ kind: 'claimed', lease_id: `lease_${n}` })),
      fc
        .constantFrom(
          output,
          outputFile,
          retryable,
          final,
          { kind: 'evicted' } as Outcome,
          { kind: 'returned' } as Outcome,
          { kind: 'cancelled' } as Outcome,
        )
        .map(outcome => (task: TaskRecord) => ({ kind: 'finished' as const, held: task, outcome, report })),
      fc.constant(task => emits({ from: task.history.at(-1)?.emitted ?? 0 }, task)),
      fc.constant(task => ({ kind: 'lease_ended', held: task })),
      fc.constant(() => ({ kind: 'backoff_ended' })),
      fc.constant(() => ({ kind: 'cancel' })),
      fc.constant(() => ({ kind: 'due' })),
      fc.constant(() => ({ kind: 'data_deleted' })),
    )
    fc.assert(
      fc.property(fc.array(fc.tuple(someCause, fc.integer({ min: 0, max: 70_000 })), { maxLength: 40 }), steps => {
        let task: TaskRecord = { ...queued, input_file: 'file_b', uses_file: 'yes' }
        let now = at
        steps.forEach(([cause, wait], n) => {
          now += wait
          const after = transition(task, cause(task, n, now), now)
          if (isRefusal(after)) return
          if (hasEnded(task)) assert.equal(after.status, task.status)
          assert.ok(after.resource_version - task.resource_version <= 1)
          if (after.status !== task.status) assert.equal(after.resource_version, task.resource_version + 1)
          assert.equal(after.lease_id !== '', after.status === 'running' || after.status === 'cancelling')
          assert.equal(after.due_at === countedByOwner, after.lease_id !== '' || after.backoff_ms > 0)
          assert.ok(after.attempt - after.returns - after.evictions <= after.max_attempts)
          assert.deepEqual([after.input_file, after.uses_file === 'yes'], ['file_b', !hasEnded(after)])
          const last = after.history.at(-1)
          assert.deepEqual([last?.version, last?.status], [after.resource_version, after.status])
          task = after
        })
      }),
    )
  })
})
