import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { allAtRest, busiest } from './processes.ts'
import { clearAll, create, digit, ended, FOREVER_MS, reaches, run, spin, TIME } from './tasks.ts'
import { type Visited, visitServer } from './visited-server.ts'

let server: Visited
before(async () => {
  server = await visitServer()
})
after(() => server.leave())
afterEach(() => clearAll(server))

/** When something happens that a task's limits ask for, on a machine that has much else to do; far from never. */
const LATE_MS = 300_000

const cancel = (id: string) => server.request('DELETE', `/v1/tasks/${id}`)

test('a queued task is cancelled at once, and again it has already finished', async () => {
  const blocker = await create(server, spin(FOREVER_MS))
  await reaches(server, blocker.id, 'running')
  const { id } = await create(server, spin(1))
  const first = await cancel(id)
  assert.equal(first.status, 200)
  assert.deepEqual(
    { object: first.body.object, id: first.body.id, outcome: first.body.outcome, status: first.body.task.status },
    { object: 'task_cancellation', id, outcome: 'cancelled', status: 'cancelled' },
  )
  const { task } = first.body
  assert.match(task.cancel_requested_at, TIME)
  assert.match(task.finished_at, TIME)
  for (const absent of ['usage', 'cost', 'started_at', 'output', 'error'])
    assert.ok(!(absent in task), `never run: ${absent}`)
  const again = await cancel(id)
  assert.equal(again.body.outcome, 'already_finished')
  assert.deepEqual(again.body.task, task)
  await cancel(blocker.id)
  await ended(server, blocker.id)
})

test('a running task is stopped for real: after its cancel nothing of it uses the processor', async () => {
  const { id } = await create(server, spin(FOREVER_MS))
  await reaches(server, id, 'running')
  await busiest(server.pid) // The run must be seen before its end can be.
  const answer = await cancel(id)
  assert.equal(answer.status, 200)
  assert.equal(answer.body.outcome, 'requested')
  assert.equal(answer.body.task.status, 'cancelling')
  const again = await cancel(id)
  assert.match(again.body.outcome, /^(requested|already_finished)$/)
  await allAtRest(server.pid)
  const task = await ended(server, id)
  assert.equal(task.status, 'cancelled')
  assert.ok(Date.parse(task.finished_at) - Date.parse(task.cancel_requested_at) < LATE_MS)
  assert.ok(task.usage.compute_ms > 0, 'a run that was cancelled used compute')
  assert.equal((await cancel(id)).body.outcome, 'already_finished')
  assert.equal((await run(server, spin(10))).status, 'succeeded')
  assert.equal((await run(server, digit(4))).output.digit, 4)
})

test('a task that has succeeded stays as it is', async () => {
  const task = await run(server, digit(9))
  const answer = await cancel(task.id)
  assert.equal(answer.body.outcome, 'already_finished')
  assert.deepEqual(answer.body.task.output ?? task.output, task.output)
  assert.equal(answer.body.task.status, 'succeeded')
  assert.deepEqual((await server.request('GET', `/v1/tasks/${task.id}`)).body, task)
})

test('a run over its time is stopped for real and fails with run_timeout', async () => {
  const task = await run(server, spin(FOREVER_MS, { run_timeout_s: 1 }))
  assert.equal(task.status, 'failed')
  assert.equal(task.error.code, 'run_timeout')
  assert.match(task.error.message, /the 1 s of its `run_timeout_s`/)
  assert.equal(task.attempt, 1)
  const ran = Date.parse(task.finished_at) - Date.parse(task.started_at)
  assert.ok(ran >= 950 && ran < LATE_MS, `it ran for ${ran} ms`)
  await allAtRest(server.pid)
  assert.equal((await run(server, spin(10))).status, 'succeeded')
})

test('a task that waits too long for its first run expires, is not billed, and the queue goes on', async () => {
  const blocker = await create(server, spin(FOREVER_MS))
  await reaches(server, blocker.id, 'running')
  const { id } = await create(server, spin(1, { queue_timeout_s: 1 }))
  const task = await ended(server, id)
  assert.equal(task.status, 'expired')
  const waited = Date.parse(task.finished_at) - Date.parse(task.created_at)
  assert.ok(waited >= 1_000 && waited < LATE_MS, `it waited for ${waited} ms`)
  assert.equal(task.attempt, 0)
  for (const absent of ['usage', 'cost', 'started_at', 'output']) assert.ok(!(absent in task), absent)
  assert.equal((await cancel(id)).body.outcome, 'already_finished')
  await cancel(blocker.id)
  await ended(server, blocker.id)
  assert.equal((await run(server, spin(10, { queue_timeout_s: 300 }))).status, 'succeeded')
})

test('a child that dies of a segmentation fault costs its task an attempt, and nobody else anything', async () => {
  const { id } = await create(server, spin(10_000))
  await reaches(server, id, 'running')
  const before = server.pid
  process.kill(await busiest(server.pid), 'SIGSEGV')
  assert.equal((await run(server, digit(3))).output.digit, 3)
  const task = await ended(server, id)
  assert.equal(task.status, 'succeeded', JSON.stringify(task.error))
  assert.equal(task.attempt, 2)
  assert.equal(server.pid, before)
})

test('a task whose child dies at every attempt fails with attempts_exhausted', async () => {
  const { id } = await create(server, spin(FOREVER_MS, { max_attempts: 1 }))
  await reaches(server, id, 'running')
  process.kill(await busiest(server.pid), 'SIGSEGV')
  const task = await ended(server, id)
  assert.equal(task.status, 'failed')
  assert.equal(task.error.code, 'attempts_exhausted')
  assert.equal((await run(server, spin(10))).status, 'succeeded')
})
