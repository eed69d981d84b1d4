import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Blobs } from '@millhand/blob'
import { manualClock } from '@millhand/process'
import { createLog } from '@millhand/telemetry'
import type { TaskRecord } from '../task.ts'
import { createCheckpoints } from './checkpoints.ts'

const MINUTE = 60_000
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
    log: createLog({ level: 'warn', write: line => void process.stderr.write(line) }),
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
