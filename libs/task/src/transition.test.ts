import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  countedByOwner,
  type FencingToken,
  isRefusal,
  noDueTime,
  type Outcome,
  type Refusal,
  type RunReport,
} from '@millhand/lease'
import fc from 'fast-check'
import { type Errand, errandAt, errandTransition as transition } from './errand.fixture.ts'
import type { Batch } from './stream/emission.ts'
import { hasEnded } from './task.ts'
import type { TaskStatus } from './task-status.ts'
import type { TaskCause } from './transition.ts'

const at = 1_000_000
const report: RunReport = {
  compute_ms: 1_200,
  group_version: 'sha256:b',
  engine_kind: 'onnx',
  engine_name: 'onnxruntime',
  provider: 'cpu',
}

const queued = errandAt(at)
const running: Errand = {
  ...queued,
  status: 'running',
  attempt: 1,
  started_at: at + 100,
  lease_id: 'lease_1',
  due_at: countedByOwner,
  resource_version: 2,
  history: [...queued.history, { version: 2, status: 'running', at: at + 100, attempt: 1 }],
}
const lastAttempt: Errand = { ...running, attempt: 3 }
const evictedBefore: Errand = { ...running, attempt: 3, evictions: 2 }
const cancelling: Errand = { ...running, status: 'cancelling', cancel_requested_at: at + 200, resource_version: 3 }
const retrying: Errand = { ...queued, attempt: 1, backoff_ms: 1_000, due_at: countedByOwner, resource_version: 3 }
const ended = (status: TaskStatus): Errand => ({
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
const table: readonly [name: string, from: Errand, cause: TaskCause, now: number, to: TaskStatus | string][] = [
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
  ['running says what it may cost', running, { kind: 'reserved', held, cost_micros: 5 }, at + 300, 'running'],
  ['what is to stop may cost nothing more', cancelling, { kind: 'reserved', held, cost_micros: 5 }, at, 'stale_lease'],
  ['a stale run may cost nothing more', lastAttempt, { kind: 'reserved', held, cost_micros: 5 }, at, 'stale_lease'],
  ['data of what is alive stays', running, { kind: 'data_deleted' }, at + 300, 'not_ended'],
]

const checkpoint = { blob: 'checkpoints/a', bytes: 7 }
const stores = (by: FencingToken = held): TaskCause => ({ kind: 'checkpoint_stored', held: by, checkpoint })

const emits = (batch: Partial<Batch>, by: FencingToken = held): TaskCause => ({
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

  it('what a run may cost is no change of state, and is forgotten with the run', () => {
    const after = transition(running, { kind: 'reserved', held, cost_micros: 5 }, at + 4_000)
    assert.deepEqual(after, { ...running, reserved_micros: 5 })
    const again = transition(after as Errand, leaseEnds, at + 10_100)
    assert.ok(!isRefusal(again) && again.reserved_micros === undefined)
  })

  it('what a run stores of how far it is stays for the next attempt, and goes with the end', () => {
    const after = transition(running, stores(), at + 4_000)
    assert.deepEqual(after, { ...running, checkpoint })
    const again = transition(after as Errand, leaseEnds, at + 5_000)
    assert.deepEqual([(again as Errand).status, (again as Errand).checkpoint], ['queued', checkpoint])
    const over = transition(after as Errand, finished(output), at + 5_000)
    assert.deepEqual([(over as Errand).status, (over as Errand).checkpoint], ['succeeded', undefined])
    for (const [task, cause] of [
      [cancelling, stores()],
      [running, stores({ lease_id: 'lease_1', attempt: 2 })],
      [running, stores({ lease_id: 'lease_0', attempt: 1 })],
      [queued, stores()],
      [ended('succeeded'), stores()],
    ] as const)
      assert.deepEqual(transition(task, cause, at), { refused: 'stale_lease' })
  })

  it('keeps what its kind bills of the run whose result or cancel ends it', () => {
    const seconds = (after: Errand | Refusal) => (isRefusal(after) ? after : after.seconds)
    for (const outcome of [output, outputFile, final])
      assert.equal(seconds(transition(running, finished(outcome), at + 300)), 2)
    assert.equal(seconds(transition(lastAttempt, finished(retryable, third), at + 300)), 2)
    assert.equal(seconds(transition(cancelling, finished({ kind: 'cancelled' }), at + 300)), 2)
  })

  it('bills nothing for what expired, was cancelled in the queue, ended by a lost lease, or goes on', () => {
    for (const [after, hasToEnd] of [
      [transition(queued, { kind: 'due' }, at + 60_000), true],
      [transition(queued, { kind: 'cancel' }, at + 1), true],
      [transition(lastAttempt, { kind: 'lease_ended', held: third }, at + 10_100), true],
      [transition(cancelling, leaseEnds, at + 10_100), true],
      [transition(running, finished(retryable), at + 300), false],
      [transition(running, finished({ kind: 'evicted' }), at + 300), false],
      [transition(running, finished({ kind: 'returned' }), at + 300), false],
    ] as const) {
      assert.ok(!isRefusal(after) && hasEnded(after) === hasToEnd && after.seconds === undefined)
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
      transition(back, claimed, at + 400) as Errand,
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
    const someCause = fc.oneof<fc.Arbitrary<(task: Errand, n: number, now: number) => TaskCause>[]>(
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
        .map(outcome => (task: Errand) => ({ kind: 'finished' as const, held: task, outcome, report })),
      fc.constant(task => emits({ from: task.history.at(-1)?.emitted ?? 0 }, task)),
      fc.constant(task => ({ kind: 'lease_ended', held: task })),
      fc.constant(() => ({ kind: 'backoff_ended' })),
      fc.constant(() => ({ kind: 'cancel' })),
      fc.constant(() => ({ kind: 'due' })),
      fc.constant(() => ({ kind: 'data_deleted' })),
    )
    fc.assert(
      fc.property(fc.array(fc.tuple(someCause, fc.integer({ min: 0, max: 70_000 })), { maxLength: 40 }), steps => {
        let task = queued
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
          const last = after.history.at(-1)
          assert.deepEqual([last?.version, last?.status], [after.resource_version, after.status])
          task = after
        })
      }),
    )
  })
})
