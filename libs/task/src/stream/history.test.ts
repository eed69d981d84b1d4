/** What a task's history says of its life. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Errand } from '../errand.fixture.ts'
import { claim, emit, finish, succeed, taskAfter } from '../task-history.fixture.ts'
import type { TaskCause } from '../transition.ts'

const fail = finish({
  kind: 'failure',
  failure: { code: 'model_crashed', message: `It crashed. ${'x'.repeat(300)}`, retryable: true },
})
const returned = finish({ kind: 'returned' })

describe('the history of a task', () => {
  it('has each change of state, the run it belongs to, what runs emitted and why they ended', () => {
    const task = taskAfter(claim, emit, emit, fail, { kind: 'backoff_ended' }, claim, returned, claim, emit, succeed)
    const crashed = { code: 'model_crashed', message: `It crashed. ${'x'.repeat(188)}` }
    const back = { code: 'returned', message: 'The run was given back before it began.' }
    assert.deepEqual(task.history, [
      { version: 1, status: 'queued', at: 0, attempt: 0 },
      { version: 2, status: 'running', at: 1_000, attempt: 1, emitted: 4 },
      { version: 3, status: 'queued', at: 4_000, attempt: 1, error: crashed },
      { version: 4, status: 'running', at: 6_000, attempt: 2 },
      { version: 5, status: 'queued', at: 7_000, attempt: 2, error: back },
      { version: 6, status: 'running', at: 8_000, attempt: 2, emitted: 2 },
      { version: 7, status: 'succeeded', at: 10_000, attempt: 2 },
    ])
    assert.equal(task.emitted_bytes, 30)
  })

  it('has 0 for the run of a task that never ran', () => {
    const [, last] = taskAfter({ kind: 'cancel' }).history
    assert.deepEqual([last?.status, last?.attempt], ['cancelled', 0])
  })

  it('tells of nothing that was emitted once the data is removed', () => {
    const said = (task: Errand): TaskCause => ({
      kind: 'emitted',
      held: task,
      batch: { from: 2, count: 1, bytes: 9, progress: { fraction: 1, message: 'a secret' } },
    })
    const { history, progress } = taskAfter(claim, emit, said, succeed, { kind: 'data_deleted' })
    assert.equal(progress, undefined)
    assert.deepEqual(
      history.map(({ status, emitted }) => [status, emitted]),
      [
        ['queued', undefined],
        ['running', undefined],
        ['succeeded', undefined],
      ],
    )
  })

  it('has at most 200 entries, the first and the latest', () => {
    const versions = taskAfter(...Array.from({ length: 150 }, () => [claim, returned]).flat()).history.map(
      ({ version }) => version,
    )
    assert.deepEqual(versions, [1, ...Array.from({ length: 199 }, (_, i) => 301 - 198 + i)])
  })
})
