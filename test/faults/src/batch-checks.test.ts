import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Wire } from '@millhand/test-e2e/http'
import { type BatchEnd, batchFaults, type CreatedBatch } from './batch-checks.ts'

const created: CreatedBatch = {
  ...{ id: 'batch_1', replayed: 'batch_1', cancelled: 'requested' },
  ...{ customIds: ['a', 'b', 'c'], digits: [1, 2, 3] },
}
const none = { queued: 0, running: 0, cancelling: 0, failed: 0, expired: 0 }
const line = (index: number, more: object) => ({ index, custom_id: 'abc'[index], task_id: `task_${index}`, ...more })
const good = (): BatchEnd => ({
  batch: { id: 'batch_1', status: 'cancelled', total: 3, counts: { ...none, succeeded: 2, cancelled: 1 } },
  done: [line(0, { output: { digit: 1 } }), line(1, { output: { digit: 2 } })],
  failed: [line(2, { error: { code: 'batch_cancelled' } })],
  tasks: [0, 1].map(index => ({ id: `task_${index}`, status: 'succeeded' })),
})

test('a batch that kept its promises has no fault', () => {
  assert.deepEqual(batchFaults([created], [good()], ['batch_1']), [])
})

const found = (change: (end: BatchEnd) => BatchEnd, of = created, listed = ['batch_1']): string =>
  batchFaults([of], [change(good())], listed).join('\n')
const changed = (lines: readonly Wire[], at: number, more: object) =>
  lines.map((line, n) => (n === at ? { ...line, ...more } : line))

for (const [name, faults, words] of [
  ['is lost', () => batchFaults([created], [], []).join(), /is lost/],
  ['was made twice', () => found(end => end, created, ['batch_1', 'batch_2']), /batch_2: was made beside/],
  ['is another at a replay', () => found(end => end, { ...created, replayed: 'batch_2' }), /answered with batch_2 too/],
  ['was not cancelled', () => found(end => ({ ...end, batch: { ...end.batch, status: 'completed' } })), /is completed/],
  ['lost a line', () => found(end => ({ ...end, done: end.done.slice(1) })), /its lines are 1,2/],
  ['has a line twice', () => found(end => ({ ...end, failed: [...end.failed, ...end.done] })), /its lines are 0,0/],
  ['has its lines in another order', () => found(end => ({ ...end, done: end.done.toReversed() })), /0 comes after 1/],
  [
    'counts what its files do not have',
    () => found(end => ({ ...end, batch: { ...end.batch, counts: { ...none, succeeded: 3, cancelled: 0 } } })),
    /counts 3 and 0, and its files have 2 and 1/,
  ],
  [
    'answers another line',
    () => found(end => ({ ...end, done: changed(end.done, 1, { output: { digit: 7 } }) })),
    /is 7/,
  ],
  [
    'names another line',
    () => found(end => ({ ...end, done: changed(end.done, 1, { custom_id: 'x' }) })),
    /is named x/,
  ],
  [
    'failed by itself',
    () => found(end => ({ ...end, failed: changed(end.failed, 0, { error: { code: 'internal' } }) })),
    /line 2 failed: internal/,
  ],
  [
    'has a task without a line',
    () => found(end => ({ ...end, tasks: [...end.tasks, { id: 'task_x', status: 'queued' }] })),
    /task_x is in neither file/,
  ],
  [
    'has a task that ended otherwise',
    () => found(end => ({ ...end, tasks: changed(end.tasks, 0, { status: 'failed' }) })),
    /task_0 is failed/,
  ],
] as const)
  test(`a batch that ${name} is found`, () => assert.match(faults(), words))
