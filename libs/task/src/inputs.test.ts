import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import { createInputs } from './inputs.ts'

test('a sweep removes what no task names, and stops when its signal ends', async test => {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-input-'))
  test.after(() => rm(folder, { recursive: true }))
  const blobs = await filesystemBlobs(folder)
  const inputs = createInputs(blobs, 'inputs/')
  const left = async () => {
    const keys: string[] = []
    for await (const { key } of blobs.list('')) keys.push(key)
    return keys
  }
  const large = 'x'.repeat(20_000)
  const places = ['task_a', 'task_b', 'task_b', 'task_c'].map(
    id => inputs.placed('acct_a/live', id, large).input_blob ?? assert.fail(),
  )
  for (const place of places) await inputs.keep(place, large)
  const named = { task_b: { input_blob: places[1] }, task_c: { input_blob: undefined } }
  const ending = new AbortController()
  const get = async (tenant: string, id: string) => {
    assert.equal(tenant, 'acct_a/live')
    ending.abort()
    return named[id as keyof typeof named]
  }
  await inputs.sweep(get, Number.NEGATIVE_INFINITY, new AbortController().signal)
  assert.equal((await left()).length, 4)
  await inputs.sweep(get, Number.POSITIVE_INFINITY, ending.signal)
  assert.ok((await left()).length >= 3)
  await inputs.sweep(get, Number.POSITIVE_INFINITY, new AbortController().signal)
  assert.deepEqual(await left(), [places[1]])
})
