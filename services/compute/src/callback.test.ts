import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { problemOf } from '@millhand/api'
import { TaskType } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import { sqliteEventLog } from '@millhand/eventlog/sqlite'
import { systemClock as clock } from '@millhand/process'
import { openSqlite, type SqliteDatabase } from '@millhand/store/sqlite'
import { taskEvents } from '@millhand/task'
import { callOf, openCompute } from './compute.fixture.ts'
import { computeTask } from './task-kind.ts'
import { claim, lived, lose, queued, rest, succeed } from './task-life.fixture.ts'

const url = 'https://example.com/hooks'

describe('a callback', () => {
  let folder: string
  let db: SqliteDatabase
  let at: ReturnType<typeof openCompute>
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millhand-callback-'))
    db = openSqlite({ file: join(folder, 'millhand.db') })
    at = openCompute({ db, blobs: await filesystemBlobs(join(folder, 'blobs')), clock })
  })
  after(async () => {
    await at.stop()
    await db.close()
    await rm(folder, { recursive: true })
  })

  const create = (callback: { url: string; events?: string[] }, mode: 'live' | 'test') =>
    at.compute.createTask(
      { type: TaskType.INFERENCE, model: 'echo', input: '1', callback },
      { contextValues: callOf('acct_a', 'enterprise', mode) },
    )
  const refusal = async (callback: { url: string; events?: string[] }) => {
    const error: unknown = await create(callback, 'live').then(
      () => assert.fail('it was accepted'),
      cause => cause,
    )
    const { code, errors = [] } = problemOf(error, 'req_1')
    return [code, ...errors.map(({ param }) => param)]
  }

  for (const mode of ['live', 'test'] as const) {
    it(`is shown with the task, and is in its events: ${mode}`, async () => {
      const events = ['task.started', 'task.*']
      const made = await create({ url, events }, mode)
      const { callback } = await at.compute.getTask(
        { id: made.id },
        { contextValues: callOf('acct_a', 'enterprise', mode) },
      )
      assert.deepEqual([callback?.url, callback?.events], [url, events])
      const reading = new AbortController()
      for await (const batch of sqliteEventLog(db).tail(['millhand.tasks.v1'], 'beginning', reading.signal)) {
        const found = batch.find(({ key }) => key === made.id)
        if (found === undefined) continue
        assert.deepEqual(JSON.parse(found.value).data.object.callback, { url, events })
        reading.abort()
      }
    })
  }

  it('is refused where its address can’t be dialled, or its events are none of a task’s', async () => {
    assert.deepEqual(await refusal({ url: 'http://10.0.0.1/' }), ['invalid_parameter', 'callback.url'])
    assert.deepEqual(await refusal({ url, events: ['task.done', 'key.revoked', 'task.failed'] }), [
      'invalid_parameter',
      'callback.events[0]',
      'callback.events[1]',
    ])
  })

  it('is in every event of a life with a retry', () => {
    const told: string[] = []
    const states = lived({ ...queued, callback: { url, events: [] } }, claim, lose, rest, claim, succeed)
    for (const [n, task] of states.entries()) {
      for (const { type, value } of taskEvents(computeTask, states[n - 1], task, 1, () => 'evt_a')) {
        told.push(type)
        assert.deepEqual(JSON.parse(value).data.object.callback, { url, events: [] })
      }
    }
    assert.deepEqual(told, ['task.queued', 'task.started', 'task.retrying', 'task.started', 'task.succeeded'])
  })
})
