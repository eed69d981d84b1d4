/** Batches whose process dies in the middle. */
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { batchEnded, batchOnce, createBatch, linesOf } from './batches.ts'
import { upload } from './files.ts'
import type { Wire } from './http.ts'
import { clearAll, digit, FOREVER_MS, spin } from './tasks.ts'
import { type Visited, visitServer } from './visited-server.ts'

let server: Visited
before(async () => {
  server = await visitServer()
})
afterEach(() => clearAll(server))
after(() => server.leave())

const TASKS = 3_000

/** Ends the process at once while a batch is so, and starts it again. */
async function dieWhile(id: string, isSo: (batch: Wire) => boolean): Promise<void> {
  await batchOnce(server, id, batch => batch.finished_at !== undefined || isSo(batch))
  await server.kill()
  await server.restart()
}

test('a process that dies while tasks are made and while the batch ends makes every line once', async () => {
  // A task may be under way at each of the kills.
  const many = { max_attempts: 10 }
  const lines = Array.from({ length: TASKS }, (_, n) => digit(n % 10, { custom_id: `line ${n}`, ...many }))
  const file = await upload(server, lines.map(line => JSON.stringify(line)).join('\n'))
  const { id } = await createBatch(server, { input_file: file.id })
  await server.kill() // Before a task is made, or soon after.
  await server.restart()
  for (const part of [0.2, 0.5]) await dieWhile(id, ({ counts }) => counts.succeeded >= part * TASKS)
  await dieWhile(id, ({ counts }) => counts.succeeded === TASKS)

  const batch = await batchEnded(server, id)
  assert.equal(batch.status, 'completed')
  assert.equal(batch.counts.succeeded, TASKS)
  assert.equal(batch.error_file, undefined)
  const done = await linesOf(server, batch.output_file)
  assert.deepEqual(
    done.map(({ index, custom_id, output }) => [index, custom_id, output.digit]),
    lines.map((_, index) => [index, `line ${index}`, index % 10]),
  )
  assert.equal(new Set(done.map(line => line.task_id)).size, TASKS)

  const made = new Set<string>()
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const page = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const { body } = await server.request('GET', `/v1/tasks?batch_id=${id}&limit=100${page}`)
    for (const task of body.data) made.add(task.id)
    cursor = body.next_cursor
  }
  assert.deepEqual([...made].sort(), done.map(line => line.task_id).sort())
  const files = await server.request('GET', '/v1/files?purpose=output&limit=100')
  assert.deepEqual(
    files.body.data.map((one: Wire) => one.id),
    [batch.output_file],
  )
})

test('a process that dies while a batch is being cancelled ends it as it began', async () => {
  // Some end soon; the others do not before they are cancelled, however busy the machine is.
  const tasks = Array.from({ length: 1_000 }, (_, n) => (n < 100 ? digit(1) : spin(FOREVER_MS)))
  const { id } = await createBatch(server, { tasks })
  await batchOnce(server, id, ({ counts }) => counts.succeeded > 0)
  const { status } = await server.request('DELETE', `/v1/batches/${id}`)
  assert.equal(status, 200)
  await server.kill()
  await server.restart()
  const batch = await batchEnded(server, id)
  assert.equal(batch.status, 'cancelled')
  const { succeeded, cancelled } = batch.counts
  assert.equal(succeeded + cancelled, 1_000)
  const [done, rest] = [await linesOf(server, batch.output_file), await linesOf(server, batch.error_file)]
  assert.deepEqual([done.length, rest.length], [succeeded, cancelled])
  assert.deepEqual(
    [...done, ...rest].map(line => line.index).sort((a, b) => a - b),
    Array.from({ length: 1_000 }, (_, index) => index),
  )
})
