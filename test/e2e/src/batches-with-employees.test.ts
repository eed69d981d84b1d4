/** Batches with tasks of employees. */
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { batchEnded, batchOnce, createBatch, linesOf } from './batches.ts'
import { upload } from './files.ts'
import type { Answer, Wire } from './http.ts'
import { keyOf, newAccount } from './operator.ts'
import { requests } from './server.ts'
import { assertProblem, clearAll, digit, FOREVER_MS, spin } from './tasks.ts'
import { type Visited, visitServer } from './visited-server.ts'
import { withinOneDay } from './within-one-day.ts'

let server: Visited
before(async () => {
  server = await visitServer()
})
afterEach(() => clearAll(server))
after(() => server.leave())

const none = { queued: 0, running: 0, cancelling: 0, succeeded: 0, failed: 0, cancelled: 0, expired: 0 }
const review = (more: object = {}) => ({
  employee: 'emma',
  task: 'sentiment_analysis',
  input: { texts: ['Not bad at all for the price.'] },
  ...more,
})
const post = (json: object, headers = {}) => server.request('POST', '/v1/batches', { json, headers })

/** A caller of an account of its own. */
async function callerOf(scopes: readonly string[], plans: Readonly<Record<string, string>> = {}) {
  const account = await newAccount(server, 'with employees', plans)
  return requests(server.url, await keyOf(server, account, { scopes }))
}
const quotaOf = async (request: Visited['request']) => (await request('GET', '/v1/workforce/usage')).body.quota

test('a batch of both kinds gives one file in the order of its tasks', async () => {
  const tasks = [digit(3, { custom_id: 'a' }), review({ custom_id: 'b' }), digit(4), review({ metadata: { of: 'd' } })]
  const { id } = await createBatch(server, { tasks })
  const batch = await batchEnded(server, id)
  assert.deepEqual([batch.status, batch.counts], ['completed', { ...none, succeeded: 4 }])
  const lines = await linesOf(server, batch.output_file)
  assert.deepEqual(
    lines.map(({ index, custom_id, task_id }) => [index, custom_id, task_id.split('_')[0]]),
    [
      [0, 'a', 'task'],
      [1, 'b', 'wtask'],
      [2, undefined, 'task'],
      [3, undefined, 'wtask'],
    ],
  )
  assert.deepEqual([lines[0]?.output.digit, lines[2]?.output.digit], [3, 4])
  for (const { task_id, output } of [lines[1], lines[3]] as Wire[]) {
    const { body } = await server.request('GET', `/v1/tasks/${task_id}`)
    assert.deepEqual([body.batch_id, body.employee, body.status], [id, 'emma', 'succeeded'])
    assert.deepEqual(output, body.output)
  }
  const listed = await server.request('GET', `/v1/workforce/emma/tasks?batch_id=${id}`)
  assert.deepEqual(
    listed.body.data.map((task: Wire) => task.id),
    [lines[3]?.task_id, lines[1]?.task_id],
  )
  const events = await server.request('GET', `/v1/events?resource_id=${lines[1]?.task_id}`)
  assert.equal(events.body.data[0].data.object.batch_id, id)
})

test('what is wrong with work for an employee refuses the whole, and is named with its line', async () => {
  const tasks = [
    digit(1),
    review({ employee: 'bob' }),
    review({ input: { texts: [3] } }),
    review({ surprise: 1 }),
    review({ stream: true }),
    digit(1, { model: 'none' }),
  ]
  const answer = await post({ tasks })
  const { errors } = assertProblem(answer, 400, 'invalid_parameter', 'tasks[1].employee')
  const expected = ['tasks[1].employee', 'tasks[2].input.texts[0]', 'tasks[3].surprise', 'tasks[4].stream']
  assert.deepEqual(
    errors.map(({ param }: Wire) => param),
    [...expected, 'tasks[5].model'],
  )
  const file = await upload(server, tasks.map(task => JSON.stringify(task)).join('\n'))
  const lines = assertProblem(await post({ input_file: file.id }), 400, 'invalid_parameter', 'lines[2].employee')
  assert.equal(lines.errors.length, 5)
})

test('a key without `workforce:write` can send no work for an employee', async () => {
  const request = await callerOf(['tasks:write', 'tasks:read'])
  const refused = await request('POST', '/v1/batches', { json: { tasks: [digit(1), review()] } })
  const { detail } = assertProblem(refused, 403, 'insufficient_scope')
  assert.match(detail, /`tasks\[1\]`.*`workforce:write`/)
  assert.equal((await request('POST', '/v1/batches', { json: { tasks: [digit(1)] } })).status, 201)
})

test('work for employees is held to the spending limit of the workforce, in a request and in a file', async () => {
  const request = await callerOf(['*'])
  const limit = (amount: string) =>
    request('PUT', '/v1/billing/limits', { json: { workforce: { amount, currency: 'USD' } } })
  assert.equal((await limit('0')).status, 200)
  const tasks = [digit(1), review()]
  const refused = await request('POST', '/v1/batches', { json: { tasks } })
  const { detail } = assertProblem(refused, 403, 'spending_limit_reached')
  assert.match(detail, /^The spending limit of workforce is reached/)
  const file = await upload({ ...server, request }, tasks.map(task => JSON.stringify(task)).join('\n'))
  const json = { input_file: file.id }
  assertProblem(await request('POST', '/v1/batches', { json }), 403, 'spending_limit_reached')
  assert.equal((await request('POST', '/v1/batches', { json: { tasks: [digit(1)] } })).status, 201)
  assert.equal((await limit('100')).status, 200)
  assert.equal((await request('POST', '/v1/batches', { json })).status, 201)
})

test('work for employees takes places of the day, each once, and a batch for which there are too few is refused', () =>
  withinOneDay(async () => {
    const request = await callerOf(['*'], { workforce: 'starter' })
    const json = { tasks: Array(60).fill(review()) }
    const made: Answer = await request('POST', '/v1/batches', { json })
    assert.equal(made.status, 201, made.text)
    const batch = await batchEnded({ ...server, request }, made.body.id)
    assert.equal(batch.counts.succeeded, 60)
    assert.deepEqual([(await quotaOf(request)).used, (await quotaOf(request)).remaining], [60, 40])
    const refused = await request('POST', '/v1/batches', { json: { tasks: [digit(1), ...Array(41).fill(review())] } })
    assertProblem(refused, 429, 'daily_quota_exceeded')
    assert.ok(Number(refused.headers['retry-after']) >= 1)
    assert.equal((await request('POST', '/v1/batches', { json: { tasks: Array(40).fill(review()) } })).status, 201)
  }))

test('a cancelled batch keeps what employees did, and names the rest', async () => {
  const { id } = await createBatch(server, { tasks: [review(), ...Array(5).fill(spin(FOREVER_MS))] })
  await batchOnce(server, id, ({ counts }) => counts.succeeded === 1)
  assert.equal((await server.request('DELETE', `/v1/batches/${id}`)).status, 200)
  const batch = await batchEnded(server, id)
  assert.deepEqual([batch.status, batch.counts], ['cancelled', { ...none, succeeded: 1, cancelled: 5 }])
  assert.deepEqual(
    (await linesOf(server, batch.output_file)).map(line => line.index),
    [0],
  )
  assert.deepEqual(
    (await linesOf(server, batch.error_file)).map(({ index, error }) => [index, error.code]),
    [1, 2, 3, 4, 5].map(index => [index, 'batch_cancelled']),
  )
})

test('the sandbox answers for employees with the same states', async () => {
  const request = requests(server.url, server.testKey)
  const made = await request('POST', '/v1/batches', { json: { tasks: [review(), review({ topic: 'sandbox:fail' })] } })
  assert.deepEqual([made.status, made.body.mode], [201, 'test'], made.text)
  const batch = await batchEnded({ ...server, request }, made.body.id)
  assert.deepEqual([batch.status, batch.counts], ['completed', { ...none, succeeded: 1, failed: 1 }])
  const [done] = await linesOf({ ...server, request }, batch.output_file)
  assert.deepEqual([done?.index, done?.output.engine.kind], [0, 'mock'])
})

test('a process that dies in the middle makes every task once, and takes one place of the day for each', async () => {
  const request = await callerOf(['*'], { workforce: 'professional' })
  const total = 600
  // A task may be under way at each of the kills.
  const many = { max_attempts: 10 }
  const tasks = Array.from({ length: total }, (_, n) =>
    n % 2 === 0 ? digit(n % 10, many) : review({ custom_id: `r${n}` }),
  )
  const { body } = await request('POST', '/v1/batches', { json: { tasks } })
  const visited = { ...server, request }
  for (const part of [0, 0.2, 0.6]) {
    await batchOnce(
      visited,
      body.id,
      batch => batch.finished_at !== undefined || batch.counts.succeeded >= part * total,
    )
    await server.kill()
    await server.restart()
  }
  const batch = await batchEnded(visited, body.id)
  assert.deepEqual([batch.status, batch.counts], ['completed', { ...none, succeeded: total }])
  const lines = await linesOf(visited, batch.output_file)
  assert.deepEqual(
    lines.map(({ index, custom_id }) => [index, custom_id]),
    tasks.map((_, n) => [n, n % 2 === 0 ? undefined : `r${n}`]),
  )
  assert.equal(new Set(lines.map(line => line.task_id)).size, total)
  assert.equal((await quotaOf(request)).used, total / 2)
})
