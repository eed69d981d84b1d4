import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fail } from '@millhand/api'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import { manualClock } from '@millhand/process'
import { createLog } from '@millhand/telemetry'
import { linePartBlobs } from './line-part-blobs.ts'
import { lineParts } from './line-parts.ts'
import type { TaskBase } from './task.ts'

const turn = () => new Promise<void>(resolve => setImmediate(resolve))

test('tasks whose parts can’t be settled keep no others from it, and are tried again less and less', async () => {
  const clock = manualClock()
  const stopping = new AbortController()
  const idOf = (at: number) => `task_${String(at).padStart(4, '0')}`
  const kept = { kept: 1, failed: 0, bytes: 1, parts: [] }
  const all = Array.from(
    { length: 151 },
    (_, at) => ({ id: idOf(at), tenant: 'acct_a/live', lines: kept }) as unknown as TaskBase,
  )
  const good = idOf(150)
  const settled = new Set<string>()
  const tries = new Map<string, number>()
  const parts = lineParts<TaskBase>({
    clock,
    log: createLog({ level: 'error' }),
    retentionMs: 1,
    partsAt: 'parts/',
    blobs: { async *list() {}, delete: async () => {} } as never,
    tasks: {
      get: async () => undefined,
      change: async (_: string, id: string) => {
        settled.add(id)
        return { kind: 'changed', before: {}, after: { output_file: 'file' } }
      },
    } as never,
    async join({ id }) {
      tries.set(id, (tries.get(id) ?? 0) + 1)
      if (id !== good) throw new Error('a part is not there')
      return 'file'
    },
    joined: async () => undefined,
    ended: async (limit, after) =>
      all.filter(({ id }) => !settled.has(id) && (after === undefined || id > after.id)).slice(0, limit),
    keep: async () => true,
    remove: async () => {},
  })
  const running = parts.run(stopping.signal)
  const pass = async (ms: number) => {
    await clock.advance(ms)
    for (let n = 0; n < 50; n++) await turn()
  }
  await pass(2_000)
  while (!settled.has(good)) await turn()
  for (let s = 0; s < 600; s += 2) await pass(2_000)
  stopping.abort()
  await running
  assert.equal(tries.get(good), 1)
  const times = tries.get(idOf(0)) ?? 0
  assert.ok(times >= 5 && times <= 12, `${times} times in ten minutes`)
})

test('parts for whose file there is no room wait for an hour, and of one tenant as many as one file has', async () => {
  const clock = manualClock(Date.UTC(2026, 10, 26))
  const stopping = new AbortController()
  const taskOf = (tenant: string, n: number, mebibytes: number) =>
    ({
      ...{ id: `task_${tenant}${n}`, tenant: `acct_${tenant}/live`, finished_at: clock.now() },
      lines: { kept: 1, failed: 0, bytes: mebibytes * 2 ** 20, parts: [] },
    }) as unknown as TaskBase
  const all = [taskOf('a', 1, 300), taskOf('a', 2, 300), taskOf('a', 3, 200), taskOf('b', 1, 512)]
  const dropped: string[] = []
  const parts = lineParts<TaskBase>({
    clock,
    log: createLog({ level: 'error', write: () => {} }),
    retentionMs: 1,
    partsAt: 'parts/',
    blobs: { async *list() {}, delete: async () => {} } as never,
    tasks: {
      get: async () => undefined,
      change: async (_: string, id: string, { file }: { readonly file?: string }) => {
        assert.equal(file, undefined)
        dropped.push(id)
        return { kind: 'changed', before: {}, after: {} }
      },
    } as never,
    async join() {
      throw fail('storage_quota_exceeded', 'There is no room.')
    },
    joined: async () => undefined,
    ended: async (limit, after) =>
      all.filter(({ id }) => !dropped.includes(id) && (after === undefined || id > after.id)).slice(0, limit),
    keep: async () => true,
    remove: async () => {},
  })
  const running = parts.run(stopping.signal)
  const pass = async (ms: number) => {
    await clock.advance(ms)
    for (let n = 0; n < 50; n++) await turn()
  }
  for (let s = 0; s < 600; s += 2) await pass(2_000)
  assert.deepEqual(dropped, ['task_a2'])
  for (let s = 0; s < 3_600; s += 10) await pass(10_000)
  assert.deepEqual(dropped, ['task_a2', 'task_a1', 'task_a3', 'task_b1'])
  stopping.abort()
  await running
})

test('parts that no task has any more are removed, once their run must be over', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-parts-'))
  t.after(() => rm(folder, { recursive: true }))
  const blobs = await filesystemBlobs(folder)
  const { sweep } = linePartBlobs(blobs, 'parts/')
  const states = { alive: 'alive', ended: 'ended', settled: 'settled', gone: undefined } as const
  for (const id of Object.keys(states)) await blobs.put(`parts/acct_a/live/${id}/0-1`, Buffer.from('1'))
  await blobs.put('inputs/acct_a/live/gone/1', Buffer.from('1'))
  const get = async (tenant: string, id: string) => {
    const lines_state = states[id as keyof typeof states]
    return tenant === 'acct_a/live' && lines_state ? { lines_state } : undefined
  }
  const left = async () => (await Array.fromAsync(blobs.list(''))).map(({ key }) => key).sort()
  const before = await left()
  await sweep(get, 0, new AbortController().signal)
  assert.deepEqual(await left(), before)
  await sweep(get, Number.POSITIVE_INFINITY, new AbortController().signal)
  assert.deepEqual(await left(), [
    'inputs/acct_a/live/gone/1',
    'parts/acct_a/live/alive/0-1',
    'parts/acct_a/live/ended/0-1',
  ])
})
