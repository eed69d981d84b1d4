import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { Code } from '@connectrpc/connect'
import type { Blobs } from '@millhand/blob'
import { isRefusal } from '@millhand/lease'
import { manualClock } from '@millhand/process'
import { type TaskCause, taskTransition } from '@millhand/task'
import { createLog } from '@millhand/telemetry'
import type { TaskRecord } from '../task.ts'
import { createCheckpoints } from './checkpoints.ts'

const MINUTE = 60_000
const log = createLog({ level: 'warn', write: line => void process.stderr.write(line) })
const at = (task: string) => `checkpoints/acct_a/live/${task}/1-a`

test('checkpoints go soon once their task has ended, and those that a live task does not name once they are old', async () => {
  const clock = manualClock(100 * MINUTE)
  const written = new Map(['named', 'ended', 'unnamed', 'gone'].map(task => [at(task), clock.now()]))
  const tasks: Record<string, Partial<TaskRecord>> = {
    named: { checkpoint: { blob: at('named'), bytes: 1 } },
    ended: { finished_at: clock.now() },
    unnamed: {},
  }
  const blobs = {
    async *list() {
      for (const [key, writtenAt] of [...written]) yield { key, writtenAt }
    },
    delete: async (key: string) => void written.delete(key),
  } as Partial<Blobs> as Blobs
  const checkpoints = createCheckpoints({
    blobs,
    clock,
    tasks: {
      get: async (_, id) => tasks[id] as TaskRecord | undefined,
      change: () => assert.fail('a sweep changes no task'),
    },
    log,
  })
  const abort = new AbortController()
  const running = checkpoints.run(abort.signal)
  await clock.advance(2 * MINUTE)
  assert.deepEqual([...written.keys()], ['named', 'unnamed', 'gone'].map(at))
  await clock.advance(10 * MINUTE)
  assert.deepEqual([...written.keys()], [at('named')])
  abort.abort()
  await running
})

/** A task whose first run has the lease, and blobs in memory. */
function openStore() {
  const transition = taskTransition<TaskRecord>({ retentionMs: MINUTE, bill: () => ({}), random: () => 0 })
  let current = {
    tenant: 'acct_a/live',
    id: 'task_a',
    status: 'running',
    attempt: 1,
    lease_id: 'lease_1',
  } as TaskRecord
  const stored = new Map<string, string>()
  const change = async (_tenant: string, _id: string, cause: TaskCause) => {
    const before = current
    const after = transition(before, cause, 0)
    if (isRefusal(after)) return { kind: 'refused', reason: after.refused, current } as const
    current = after
    return { kind: 'changed', before, after } as const
  }
  const blobs = {
    async put(key, content) {
      const bytes = Buffer.concat(await Array.fromAsync(content as Readable))
      stored.set(key, bytes.toString())
      return { size: bytes.length, sha256: '' }
    },
    get: async key => (stored.has(key) ? Readable.from([stored.get(key)]) : undefined),
    delete: async key => void stored.delete(key),
  } as Partial<Blobs> as Blobs
  const clock = manualClock(0)
  const checkpoints = createCheckpoints({ blobs, tasks: { get: async () => current, change }, clock, log })
  const store = (task: TaskRecord, content: string) =>
    checkpoints.store(task, Readable.from([Buffer.from(content)]), new AbortController().signal)
  return {
    ...{ checkpoints, store },
    task: () => current,
    lose: (lease_id: string) => (current = { ...current, attempt: current.attempt + 1, lease_id }),
    contents: () => [...stored.values()],
  }
}

test('a task names its latest checkpoint, and the one before is deleted', async () => {
  const { store, task, checkpoints, contents } = openStore()
  await store(task(), 'after step 10')
  await store(task(), 'after step 20')
  assert.deepEqual(contents(), ['after step 20'])
  assert.equal(task().checkpoint?.bytes, 13)
  assert.equal((await (await checkpoints.read(task())).toArray()).join(''), 'after step 20')
})

test('a run whose lease is not the live one stores no checkpoint, and leaves that of the live one', async () => {
  const { store, task, lose, checkpoints, contents } = openStore()
  const stale = task()
  await store(stale, 'after step 10')
  lose('lease_2')
  await store(task(), 'after step 20')
  await assert.rejects(store(stale, 'after step 15'), {
    code: Code.Aborted,
    rawMessage: 'The run is not the live one.',
  })
  assert.deepEqual(contents(), ['after step 20'])
  assert.equal((await (await checkpoints.read(task())).toArray()).join(''), 'after step 20')
})
