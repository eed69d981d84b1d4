/** Models that tasks train, through REST: from a create to the inference of the model that was made. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { upload } from './files.ts'
import type { Wire } from './http.ts'
import { repository } from './server.ts'
import { assertProblem, create, ended, ownModels, run } from './tasks.ts'
import { eventsUntilEnd, examplesOf } from './training.ts'
import { type Visited, visitServer } from './visited-server.ts'

let server: Visited
before(async () => {
  server = await visitServer()
})
after(() => server.leave())

const examples = examplesOf(readFileSync(join(repository, 'test/fixtures/digits/all.txt'), 'utf8'))
const training = (more: object = {}, parameters: object = {}) => ({
  type: 'training',
  model: 'digits',
  parameters: { epochs: 2, seed: 7, ...parameters },
  ...more,
})

test('a model is trained on examples, and its inference works at once', async () => {
  const file = (await upload(server, examples(1797), 'purpose=dataset')).id
  const task = await run(server, training({ input_file: file }))
  assert.equal(task.status, 'succeeded', JSON.stringify(task.error))
  const { model, digest, metrics, card } = task.output
  assert.match(digest, /^sha256:[0-9a-f]{64}$/)
  assert.ok(metrics.accuracy > 0.9, JSON.stringify(metrics))
  assert.deepEqual([task.type, task.model, task.engine.kind], ['training', 'digits', 'onnx'])
  assert.equal(card.data.examples, 1797)
  const made = (await server.request('GET', `/v1/models/${model}`)).body
  assert.equal(made.trainable, true)
  assert.equal(made.training.task, task.id)
  assert.equal(made.training.parent.model, 'digits')
  assert.equal(made.metrics.accuracy, metrics.accuracy)
  const [{ pixels, digit }] = JSON.parse(readFileSync(join(repository, 'test/fixtures/digits/digits.json'), 'utf8'))
  const answer = await run(server, { type: 'inference', model, input: JSON.stringify(pixels) })
  assert.equal(answer.status, 'succeeded', JSON.stringify(answer.error))
  assert.equal(answer.output.digit, digit)

  const again = await run(server, training({ input_file: file }))
  assert.equal(again.output.digest, digest)
  assert.notEqual(again.output.model, model)
  const other = await run(server, training({ input_file: file }, { seed: 8 }))
  assert.notEqual(other.output.digest, digest)

  const further = await run(server, training({ model, input: examples(200) }, { epochs: 1 }))
  assert.equal(further.output.card.parent.model, model)
  assert.equal(further.status, 'succeeded', JSON.stringify(further.error))
  // The data of the task goes, and the model stays.
  assert.equal((await server.request('DELETE', `/v1/tasks/${task.id}/data`)).status, 200)
  assert.equal((await server.request('GET', `/v1/models/${model}`)).status, 200)
  assert.equal((await server.request('DELETE', `/v1/models/${model}`)).status, 200)
})

/** Registers a network for digits that has random weights. */
async function untrained(): Promise<string> {
  const bytes = readFileSync(join(repository, 'test/fixtures/training/untrained-digits.onnx'))
  const file = (await upload(server, bytes, 'purpose=model', 'application/octet-stream')).id
  const preprocess = { name: 'numbers', count: 64, min: 0, max: 16, scale: 1 / 16 }
  const registered = await server.request('POST', '/v1/models', {
    json: { name: 'Untrained', file, preprocess, postprocess: { name: 'classify', as: 'digit' } },
  })
  assert.equal(registered.status, 201, registered.text)
  return registered.body.id
}

test('digits are learned from random weights, at least 96 in 100 of those that were held out', async t => {
  const model = await untrained()
  const input_file = (await upload(server, examples(1797), 'purpose=dataset')).id
  const accuracyWith = async (parameters: object): Promise<number> => {
    const task = await run(server, training({ model, input_file }, parameters))
    assert.equal(task.status, 'succeeded', JSON.stringify(task.error))
    // A fifth of each digit.
    assert.equal(task.output.card.data.held_out, 359)
    return task.output.metrics.accuracy
  }
  // One in ten by chance: steps as small as these leave the weights as they were.
  const before = await accuracyWith({ epochs: 1, learning_rate: 1e-9 })
  assert.ok(before < 0.3, `${before} before`)
  // Of eight seeds the least was 0.977.
  const after = await accuracyWith({ epochs: 30, learning_rate: 0.01, schedule: 'cosine' })
  t.diagnostic(`${before} before, ${after} after`)
  assert.ok(after >= 0.96, `${after} after`)
})

test('a head and adapters are trained from random weights, and their models classify', async () => {
  const network = await untrained()
  const input_file = (await upload(server, examples(1797), 'purpose=dataset')).id
  const [{ pixels, digit }] = JSON.parse(readFileSync(join(repository, 'test/fixtures/digits/digits.json'), 'utf8'))
  for (const how of [{ train: 'head' }, { train: 'lora', rank: 8 }]) {
    const parameters = { ...how, epochs: 12, learning_rate: 0.01 }
    const task = await run(server, training({ model: network, input_file }, parameters))
    assert.equal(task.status, 'succeeded', JSON.stringify(task.error))
    const { model, metrics, card } = task.output
    assert.equal(card.parameters.train, how.train)
    // One in ten by chance.
    assert.ok(metrics.accuracy > 0.8, `${how.train}: ${JSON.stringify(metrics)}`)
    const answer = await run(server, { type: 'inference', model, input: JSON.stringify(pixels) })
    assert.equal(answer.output?.digit, digit, `${how.train}: ${JSON.stringify(answer)}`)
  }
})

test('what a run says of its progress streams', async () => {
  const { id } = await create(server, training({ input: examples(400) }, { epochs: 3 }))
  const events = await eventsUntilEnd(server, id)
  const reports = events.filter(({ type }) => type === 'task.progress').map(({ data }) => data.progress)
  const last = reports.at(-1) as Wire
  assert.equal(last.fraction, 1)
  assert.deepEqual([last.metrics.epoch, last.metrics.epochs, last.metrics.step], [3, 3, last.metrics.steps])
  for (const name of ['loss', 'learning_rate', 'examples_per_s', 'validation_loss', 'validation_accuracy'])
    assert.ok(Number.isFinite(last.metrics[name]), JSON.stringify(last.metrics))
  assert.equal(last.metrics.time_left_s, 0)
  const task = await ended(server, id)
  assert.ok(task.usage.compute_ms > 0)
})

test('models that can be trained say so, and the others are refused by what keeps them', async () => {
  const { data } = (await server.request('GET', '/v1/models')).body
  const trainable = data.filter((model: Wire) => model.trainable).map((model: Wire) => model.id)
  assert.ok(trainable.includes('digits'))
  assert.ok(!trainable.includes('silero-vad'))
  const voice = await server.request('POST', '/v1/tasks', { json: training({ model: 'silero-vad', input: '{}' }) })
  assertProblem(voice, 400, 'invalid_parameter', 'model')
  const bytes = readFileSync(join(ownModels, 'spin/model.onnx'))
  const file = (await upload(server, bytes, 'purpose=model', 'application/octet-stream')).id
  const own = await server.request('POST', '/v1/models', { json: { name: 'Loops', file } })
  const loops = await server.request('POST', '/v1/tasks', { json: training({ model: own.body.id, input: '{}' }) })
  const { detail } = assertProblem(loops, 400, 'invalid_parameter', 'model')
  assert.match(detail, /first axis|Loop/)
})

test('parameters are checked at create, each by its path', async () => {
  const json = training(
    { input: examples(10) },
    { epochs: 0, optimizer: 'lion', early_stopping: { patience: 'x' }, eta: 1 },
  )
  const answer = await server.request('POST', '/v1/tasks', { json })
  const { errors } = assertProblem(answer, 400, 'invalid_parameter')
  const params = errors.map(({ param }: Wire) => param).sort()
  assert.deepEqual(params, [
    'parameters.early_stopping.patience',
    'parameters.epochs',
    'parameters.eta',
    'parameters.optimizer',
  ])
})

test('bad examples fail the task, name line and column, and leave no model', async () => {
  const before = (await server.request('GET', '/v1/models?limit=100')).body.data.length
  const lines = examples(40).trimEnd().split('\n')
  for (const [bad, said] of [
    ['{"input":[1,2],"label":1}', /line 41.*`input`/],
    ['{"input":', /line 41/],
    [JSON.stringify({ ...JSON.parse(lines[0] as string), label: null }), /line 41.*`label`/],
  ] as const) {
    const task = await run(server, training({ input: [...lines, bad].join('\n') }))
    assert.equal(task.status, 'failed')
    assert.equal(task.error.code, 'model_input_invalid')
    assert.match(task.error.message, said)
  }
  const after = (await server.request('GET', '/v1/models?limit=100')).body.data.length
  assert.equal(after, before)
})
