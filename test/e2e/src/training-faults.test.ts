/** Runs that train and are lost, cancelled or stopped: the next goes on from the last checkpoint, and nothing half-made stays. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openEvents } from './event-stream.ts'
import { upload } from './files.ts'
import { repository, type Server, startServer } from './server.ts'
import { assertProblem, create, ended, reaches, run } from './tasks.ts'
import { eventsUntilEnd, examplesOf } from './training.ts'

let server: Server
before(async () => {
  server = await startServer()
})
after(() => server[Symbol.asyncDispose]())

const examples = examplesOf(readFileSync(join(repository, 'test/fixtures/digits/all.txt'), 'utf8'))(1797)
const headers = () => ({ authorization: `Bearer ${server.testKey}` })

const countModels = async () => (await server.request('GET', '/v1/models?limit=100')).body.data.length

/** All files and models of the account. */
async function stored(): Promise<readonly string[]> {
  const lists = await Promise.all(['files', 'models'].map(name => server.request('GET', `/v1/${name}?limit=100`)))
  return lists.flatMap(({ body }) => body.data.map(({ id }: { id: string }) => id))
}

/** A run reports at most twice a second, and has a checkpoint taken after 5 s, before it goes on. */
const REPORTS_TO_CHECKPOINT = 14

/** Whether the run goes on behind a checkpoint; false where it ended before there was one. */
async function isCheckpointed(task: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${server.key}` }
  using stream = await openEvents(`${server.url}/v1/tasks/${task}/events`, { headers })
  let reports = 0
  for await (const { type } of stream) {
    if (type === 'task.progress') reports++
    if (reports === REPORTS_TO_CHECKPOINT) return true
  }
  return false
}

test('a run whose server is killed goes on, and makes the same bytes', { timeout: 1_200_000 }, async () => {
  const file = (await upload(server, examples, 'purpose=dataset')).id
  let parameters = { epochs: 100, batch_size: 8, seed: 5, validation_split: 0.1 }
  const begin = async () =>
    (await create(server, { type: 'training', model: 'digits', input_file: file, parameters })).id
  let id = await begin()
  // The faster the machine, the more it takes until there is a checkpoint.
  for (; !(await isCheckpointed(id)); id = await begin()) parameters = { ...parameters, epochs: parameters.epochs * 2 }
  await server.kill()
  await server.restart()
  const task = await ended(server, id)
  assert.equal(task.status, 'succeeded', JSON.stringify(task.error))
  assert.ok(task.attempt > 1)
  const events = await eventsUntilEnd(server, id)
  const again = events.findLastIndex(({ type }) => type === 'task.started')
  const first = events.slice(again).find(({ type }) => type === 'task.progress')
  // A run that begins anew says so after its first step.
  const step = first?.data.progress.metrics.step
  assert.ok(step > 1, JSON.stringify(first))
  const whole = await ended(server, await begin())
  assert.equal(whole.output.digest, task.output.digest)
})

test('a run that is cancelled stops at once, and leaves no model and no file', { timeout: 300_000 }, async () => {
  const before = await stored()
  const json = {
    type: 'training',
    model: 'digits',
    input: examples.slice(0, examples.indexOf('\n', 60_000)),
    parameters: { epochs: 1000, batch_size: 1 },
  }
  const { id } = await create(server, json)
  await reaches(server, id, 'running')
  assert.equal((await server.request('DELETE', `/v1/tasks/${id}`)).status, 200)
  const task = await ended(server, id)
  assert.equal(task.status, 'cancelled')
  assert.equal(task.output, undefined)
  assert.deepEqual(await stored(), before)
})

/** Of a run that would go on for long, once its first epoch has ended. */
async function beginKeeping(): Promise<string> {
  const json = {
    type: 'training',
    model: 'digits',
    input: examples.slice(0, examples.indexOf('\n', 60_000)),
    parameters: { epochs: 1000, batch_size: 1, on_cancel: 'keep_best' },
  }
  const { id } = await create(server, json)
  const headers = { authorization: `Bearer ${server.key}` }
  using stream = await openEvents(`${server.url}/v1/tasks/${id}/events`, { headers })
  for await (const { data } of stream) if (data.progress?.metrics?.epoch > 1) return id
  throw new Error(`${id} ended before its second epoch`)
}

test('a run that is cancelled keeps its best model where it was asked to', { timeout: 300_000 }, async () => {
  const models = await countModels()
  const id = await beginKeeping()
  assert.equal((await server.request('DELETE', `/v1/tasks/${id}`)).body.outcome, 'requested')
  const task = await ended(server, id)
  assert.equal(task.status, 'cancelled')
  const { model, metrics, card } = task.output
  assert.equal(card.ended, 'cancelled')
  assert.ok(card.best_epoch >= 1 && card.best_epoch <= card.curves.length, JSON.stringify(card))
  const made = await server.request('GET', `/v1/models/${model}`)
  assert.equal(made.status, 200, made.text)
  assert.equal(made.body.training.task, id)
  assert.equal(made.body.metrics.accuracy, metrics.accuracy)
  const answer = await run(server, { type: 'inference', model, input: JSON.stringify(Array(64).fill(1)) })
  assert.equal(answer.status, 'succeeded', JSON.stringify(answer.error))
  assert.equal(await countModels(), models + 1)
  const last = (await eventsUntilEnd(server, id)).at(-1)
  assert.deepEqual([last?.type, last?.data.task?.output?.model], ['task.cancelled', model])
})

test('a cancel during which everything is killed leaves a model that its task names, or none', {
  timeout: 600_000,
}, async () => {
  const models = await countModels()
  const id = await beginKeeping()
  assert.equal((await server.request('DELETE', `/v1/tasks/${id}`)).status, 200)
  await server.kill()
  await server.restart()
  const task = await ended(server, id)
  assert.equal(task.status, 'cancelled')
  assert.equal(await countModels(), models + (task.output === undefined ? 0 : 1))
})

test('a run that takes too long is stopped, and leaves no model and no file', { timeout: 300_000 }, async () => {
  const before = await stored()
  const input = examples.slice(0, examples.indexOf('\n', 60_000))
  const task = await run(server, {
    type: 'training',
    model: 'digits',
    input,
    run_timeout_s: 2,
    parameters: { epochs: 1000, batch_size: 1 },
  })
  assert.deepEqual([task.status, task.error?.code], ['failed', 'run_timeout'])
  assert.deepEqual(
    (await stored()).filter(each => !before.includes(each)),
    [],
  )
})

test('a cancelled run of the sandbox keeps a model where it was asked to', { timeout: 300_000 }, async () => {
  const ask = (method: string, path: string, json?: object, prefer = 'wait=60') =>
    server.request(method, path, { ...(json && { json }), headers: { ...headers(), prefer } })
  const json = { type: 'training', model: 'digits', input: 'sandbox:slow:250000' }
  const begin = async (parameters: object) => {
    const { body } = await server.request('POST', '/v1/tasks', { json: { ...json, parameters }, headers: headers() })
    for (let { status } = body; status !== 'running'; ) {
      assert.equal(status, 'queued')
      status = (await ask('GET', `/v1/tasks/${body.id}`, undefined, 'wait=1')).body.status
    }
    return body.id
  }
  for (const on_cancel of ['keep_best', 'discard']) {
    const id = await begin({ on_cancel })
    await ask('DELETE', `/v1/tasks/${id}`)
    let task = (await ask('GET', `/v1/tasks/${id}`)).body
    while (task.status !== 'cancelled') task = (await ask('GET', `/v1/tasks/${id}`)).body
    assert.equal(task.output === undefined, on_cancel === 'discard', JSON.stringify(task))
    if (task.output === undefined) continue
    assert.equal(task.output.card.ended, 'cancelled')
    assert.equal((await ask('GET', `/v1/models/${task.output.model}`)).status, 200)
  }
})

test('the sandbox trains nothing, with the same events, and its model answers', { timeout: 300_000 }, async () => {
  const input = examples.slice(0, examples.indexOf('\n', 30_000))
  const ask = (method: string, path: string, json?: object) =>
    server.request(method, path, { ...(json && { json }), headers: { ...headers(), prefer: 'wait=60' } })
  const { body: task } = await ask('POST', '/v1/tasks', {
    type: 'training',
    model: 'digits',
    input,
    parameters: { epochs: 3 },
  })
  assert.equal(task.status, 'succeeded', JSON.stringify(task))
  assert.equal(task.engine.kind, 'mock')
  assert.deepEqual(Object.keys(task.output).sort(), ['card', 'digest', 'metrics', 'model'])
  const made = await ask('GET', `/v1/models/${task.output.model}`)
  assert.equal(made.status, 200, made.text)
  const pixels = JSON.stringify(Array(64).fill(1))
  const { body: answer } = await ask('POST', '/v1/tasks', {
    type: 'inference',
    model: task.output.model,
    input: pixels,
  })
  assert.equal(answer.status, 'succeeded', JSON.stringify(answer))
  const stream = await server.request('GET', `/v1/tasks/${task.id}/events`, { headers: headers() })
  assert.match(stream.text, /task\.progress/)
  const wrong = await server.request('POST', '/v1/tasks', {
    json: { type: 'training', model: 'digits', input, parameters: { epochs: 0 } },
    headers: headers(),
  })
  assertProblem(wrong, 400, 'invalid_parameter', 'parameters.epochs')
})
