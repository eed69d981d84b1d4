import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import { createInputs } from './input.ts'

test('a sweep removes what no task names, and stops when its signal ends', async test => {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-input-'))
  test.after(() => rm(folder, { recursive: true }))
  const inputs = createInputs(await filesystemBlobs(folder))
  for (const id of ['task_a', 'task_b', 'task_c']) await inputs.keep('acct_a/live', id, 'x')
  const ending = new AbortController()
  const asked: string[] = []
  const exists = async (_: string, id: string) => {
    asked.push(id)
    ending.abort()
    return id === 'task_b'
  }
  await inputs.sweep(exists, Number.POSITIVE_INFINITY, ending.signal)
  assert.equal(asked.length, 1)
  await inputs.sweep(exists, Number.POSITIVE_INFINITY, new AbortController().signal)
  asked.length = 0
  await inputs.sweep(exists, Number.POSITIVE_INFINITY, new AbortController().signal)
  assert.deepEqual(asked, ['task_b'])
})
