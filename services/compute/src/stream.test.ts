/** What the stream of a compute task tells. That it is whole and in order is a promise of libs/task. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { TaskType } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import { manualClock } from '@millhand/process'
import { openSqlite } from '@millhand/store/sqlite'
import { callOf, openCompute } from './compute.fixture.ts'

const executorId = 'exec_a'
const as = { contextValues: callOf('acct_a') }

test('a stream tells what runs emit, why one is tried again, and how the task ended, without its input', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-stream-'))
  const db = openSqlite({ file: join(folder, 'millhand.db') })
  const blobs = await filesystemBlobs(join(folder, 'blobs'))
  const { compute, leases, stop } = openCompute({ db, blobs, clock: manualClock(Date.UTC(2026, 10, 21)) })
  t.after(async () => {
    await stop()
    await db.close()
    await rm(folder, { recursive: true })
  })
  const lend = async () => {
    const { runs } = await leases.claim({ executorId, pool: 'live/onnx', runs: 1, waitMs: 5_000 })
    const { id: leaseId, tenant, workId, attempt } = runs[0]?.leases[0] ?? assert.fail()
    return { leaseId, tenant, workId, attempt }
  }

  const { id } = await compute.createTask({ type: TaskType.INFERENCE, model: 'echo', input: 'hello' }, as)
  const first = await lend()
  const progress = { fraction: 0.5, message: 'halfway', metrics: { loss: 0.25 } }
  const emissions = [
    { content: { case: 'output' as const, value: '"one"' } },
    { content: { case: 'log' as const, value: 'a line' } },
    { content: { case: 'progress' as const, value: progress } },
  ]
  await leases.emit({ executorId, runs: [{ ...first, emissions }] })
  await leases.finish({ executorId, results: [{ ...first, outcome: { case: 'evicted', value: true } }] })
  const second = await lend()
  await leases.finish({
    executorId,
    results: [{ ...second, outcome: { case: 'output', value: '"two"' }, computeMs: 5 }],
  })

  const told: unknown[] = []
  for await (const event of compute.watchTask({ id }, as)) {
    const { $typeName: _, sequence, createdAt, taskId, type, attempt, ...rest } = event
    assert.deepEqual([taskId, createdAt?.seconds], [id, BigInt(Date.UTC(2026, 10, 21) / 1000)])
    told.push([Number(sequence >> 20n), type, attempt, rest])
  }
  const { input, ...ended } = await compute.getTask({ id }, as)
  assert.equal(input, 'hello')
  const evicted = 'Its executor stopped the run. That costs no attempt.'
  assert.deepEqual(told, [
    [1, 'task.queued', 0, {}],
    [2, 'task.started', 1, {}],
    [2, 'task.output', 1, { output: '"one"' }],
    [2, 'task.log', 1, { log: 'a line' }],
    [2, 'task.progress', 1, { progress: { $typeName: 'millhand.compute.v1.TaskProgress', ...progress } }],
    [
      3,
      'task.retrying',
      1,
      { error: { $typeName: 'millhand.compute.v1.TaskError', code: 'evicted', message: evicted, retryable: true } },
    ],
    [4, 'task.started', 2, {}],
    [5, 'task.succeeded', 2, { task: ended }],
  ])
})
