/** Tasks on models, and on files, of an account's own. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Caller, callerWith } from './account-resources.ts'
import { upload } from './files.ts'
import { keyOf, newAccount } from './operator.ts'
import { repository } from './server.ts'
import { assertProblem, create, ended, ownModels, run, spin } from './tasks.ts'
import { type Visited, visitServer } from './visited-server.ts'

let server: Visited
before(async () => {
  server = await visitServer()
})
after(() => server.leave())

const double = readFileSync(join(ownModels, 'double/model.onnx'))
const tensors = (...data: number[]) => JSON.stringify({ x: { dtype: 'float32', shape: [1, 2], data } })

const uploadModel = async (bytes: Uint8Array): Promise<string> =>
  (await upload(server, bytes, 'purpose=model', 'application/octet-stream')).id

async function register(bytes: Uint8Array, fields: object = {}): Promise<string> {
  const answer = await server.request('POST', '/v1/models', {
    json: { name: 'My model', file: await uploadModel(bytes), ...fields },
  })
  assert.equal(answer.status, 201, answer.text)
  return answer.body.id
}

test('a model is usable at once, and its answers have its version', async () => {
  const id = await register(double)
  const { version } = (await server.request('GET', `/v1/models/${id}`)).body
  const task = await run(server, { type: 'inference', model: id, input: tensors(1, 2.5) })
  assert.equal(task.status, 'succeeded', JSON.stringify(task.error))
  assert.deepEqual(task.output, { y: { dtype: 'float32', shape: [1, 2], data: [2, 5] } })
  assert.deepEqual([task.model, task.model_version, task.engine.kind], [id, version, 'onnx'])
  const { data } = (await server.request('GET', `/v1/tasks?model=${id}`)).body
  assert.deepEqual(
    data.map((each: { id: string }) => each.id),
    [task.id],
  )
})

test('inference uses the processing that its owner gave it, and a custom task on the same model does not', async () => {
  const digits = readFileSync(join(repository, 'deploy/models/digits/model.onnx'))
  const id = await register(digits, {
    preprocess: { name: 'numbers', count: 64, min: 0, max: 16, scale: 0.0625 },
    postprocess: { name: 'classify', as: 'digit' },
    batchable: true,
  })
  const [{ pixels, digit }] = JSON.parse(readFileSync(join(repository, 'test/fixtures/digits/digits.json'), 'utf8'))
  const named = await run(server, { type: 'inference', model: id, input: JSON.stringify(pixels) })
  assert.equal(named.status, 'succeeded', JSON.stringify(named.error))
  assert.equal(named.output.digit, digit)
  const { inputs } = (await server.request('GET', `/v1/models/${id}`)).body
  const x = { dtype: 'float32', shape: [1, 64], data: pixels.map((pixel: number) => pixel / 16) }
  const input = JSON.stringify({ [inputs[0].name]: x })
  const custom = await run(server, { type: 'custom', model: id, input })
  assert.equal(custom.status, 'succeeded', JSON.stringify(custom.error))
  assert.deepEqual([custom.type, custom.model], ['custom', id])
  for (const { dtype } of Object.values<{ dtype: string }>(custom.output)) assert.ok(dtype)
  assertProblem(
    await server.request('POST', '/v1/tasks', { json: { type: 'inference', model: id, input } }),
    400,
    'model_input_invalid',
    'input',
  )
  const many = await Promise.all(
    Array.from({ length: 40 }, () => create(server, { type: 'inference', model: id, input: JSON.stringify(pixels) })),
  )
  for (const task of many) assert.equal((await ended(server, task.id)).output.digit, digit)
})

test('a file is run as it is, and is kept while a task needs it', async () => {
  const file = await uploadModel(double)
  const task = await run(server, { type: 'custom', model: file, input: tensors(3, 4) })
  assert.equal(task.status, 'succeeded', JSON.stringify(task.error))
  assert.deepEqual(task.output, { y: { dtype: 'float32', shape: [1, 2], data: [6, 8] } })
  assert.equal(task.model, file)
  const base64 = {
    dtype: 'float32',
    shape: [1, 2],
    data: Buffer.from(new Float32Array([1, 2]).buffer).toString('base64'),
  }
  const encoded = await run(server, { type: 'custom', model: file, input: JSON.stringify({ x: base64 }) })
  assert.equal(encoded.output.y.data, Buffer.from(new Float32Array([2, 4]).buffer).toString('base64'))

  const spinning = await uploadModel(readFileSync(join(ownModels, 'spin/model.onnx')))
  const { input } = spin(600_000) as { input: string }
  const long = await create(server, { type: 'custom', model: spinning, input })
  const held = await server.request('DELETE', `/v1/files/${spinning}`)
  assertProblem(held, 409, 'invalid_state')
  assert.ok(held.body.detail.includes(`is the model of the task \`${long.id}\``), held.body.detail)
  await server.request('DELETE', `/v1/tasks/${long.id}`)
  assert.equal((await ended(server, long.id)).status, 'cancelled')
  assert.equal((await server.request('DELETE', `/v1/files/${spinning}`)).status, 200)
})

test('a model in use is not deleted under its task', async () => {
  const id = await register(readFileSync(join(ownModels, 'spin/model.onnx')))
  const { input } = spin(600_000) as { input: string }
  const task = await create(server, { type: 'inference', model: id, input })
  const held = await server.request('DELETE', `/v1/models/${id}`)
  assertProblem(held, 409, 'invalid_state')
  assert.ok(held.text.includes(task.id))
  await server.request('DELETE', `/v1/tasks/${task.id}`)
  assert.equal((await ended(server, task.id)).status, 'cancelled')
  assert.equal((await server.request('DELETE', `/v1/models/${id}`)).status, 200)
  const gone = await server.request('POST', '/v1/tasks', { json: { type: 'inference', model: id, input } })
  assertProblem(gone, 400, 'invalid_parameter', 'model')
})

test('every element type passes through unchanged, and only the outputs that are asked for come back', async () => {
  const fixtures = join(repository, 'services/executor/src/onnx/fixtures')
  const { everyType, valuesOfEveryType } = await import(join(fixtures, 'every-type.ts'))
  const file = await uploadModel(readFileSync(join(fixtures, 'plain-models/every-type.onnx')))
  const all = await run(server, { type: 'custom', model: file, input: everyType })
  assert.equal(all.status, 'succeeded', JSON.stringify(all.error))
  const names = Object.keys(all.output)
  assert.equal(names.length, Object.keys(valuesOfEveryType).length)
  const types = Object.values<{ dtype: string; data: unknown }>(all.output).map(({ dtype, data }) => [dtype, data])
  assert.deepEqual(Object.fromEntries(types), valuesOfEveryType)
  const outputs = [names[3], names[9]]
  const some = await run(server, { type: 'custom', model: file, input: everyType, parameters: { outputs } })
  assert.deepEqual(Object.keys(some.output).sort(), outputs.toSorted())
})

test('a picture is made the input of a model, by the processing of its owner', async () => {
  const preprocess = { name: 'image', width: 2, height: 1, layout: 'nhwc' }
  const fixtures = join(repository, 'services/executor/src/onnx/fixtures/plain-models')
  const [floats, bytes] = ['picture', 'bytes'].map(name => readFileSync(join(fixtures, `${name}.onnx`))) as [
    Buffer,
    Buffer,
  ]
  const photograph = readFileSync(join(repository, 'test/fixtures/sentence.png'))
  const input = `data:image/png;base64,${photograph.toString('base64')}`
  const [own, whole] = [await register(floats, { preprocess }), await register(bytes, { preprocess })]
  const [scaled, plain] = await Promise.all([own, whole].map(model => run(server, { type: 'inference', model, input })))
  assert.deepEqual(scaled.output.y.shape, [1, 1, 2, 3], JSON.stringify(scaled.error))
  const values = plain.output.y.data.map((value: number) => Math.fround(value / 255))
  assert.deepEqual(scaled.output.y.data.map(Math.fround), values)
  const { id } = await upload(server, photograph)
  const ofFile = await run(server, { type: 'inference', model: whole, input_file: id })
  assert.deepEqual(ofFile.output, plain.output)
  for (const wrong of ['data:image/png;base64,AAAA', 'no picture', input.slice(0, 2_000)]) {
    const json = { type: 'inference', model: whole, input: wrong }
    const answer = await server.request('POST', '/v1/tasks', { json })
    if (answer.status === 201) assert.equal((await ended(server, answer.body.id)).error.code, 'model_input_invalid')
    else assertProblem(answer, 400, 'model_input_invalid', 'input')
  }
})

test('processing that the model does not go with is refused, and its field named', async () => {
  const fixtures = join(repository, 'services/executor/src/onnx/fixtures/plain-models')
  const bytes = await uploadModel(readFileSync(join(fixtures, 'bytes.onnx')))
  const text = await uploadModel(readFileSync(join(fixtures, 'text.onnx')))
  for (const [file, fields, param] of [
    [text, { preprocess: { name: 'image', width: 2, height: 2 } }, 'preprocess'],
    [bytes, { preprocess: { name: 'numbers', count: 4 } }, 'preprocess'],
    [bytes, { preprocess: { name: 'text' } }, 'preprocess'],
    [bytes, { postprocess: { name: 'classify' } }, 'postprocess'],
  ] as const) {
    const answer = await server.request('POST', '/v1/models', { json: { name: 'x', file, ...fields } })
    assertProblem(answer, 400, 'invalid_parameter', param)
  }
})

test('outputs are chosen by name', async () => {
  const id = await register(double)
  const input = tensors(1, 2)
  const chosen = await run(server, { type: 'custom', model: id, input, parameters: { outputs: ['y'] } })
  assert.deepEqual(Object.keys(chosen.output), ['y'])
  for (const outputs of [['z'], [], 'y', ['y', 'y'], [1], [{ toString: 1 }]]) {
    const json = { type: 'custom', model: id, input, parameters: { outputs } }
    assertProblem(await server.request('POST', '/v1/tasks', { json }), 400, 'invalid_parameter', 'parameters.outputs')
  }
})

test('a custom task names a model or file of the account, and inputs that fit', async () => {
  const text = (await upload(server, 'no model', 'purpose=model')).id
  const input = (await upload(server, double)).id
  const id = await register(double)
  for (const [json, code, param, said] of [
    [{ model: 'digits' }, 'invalid_parameter', 'model', /of the deployment/],
    [{ model: 'nothing' }, 'invalid_parameter', 'model', /no model/],
    [{ model: text }, 'model_invalid', 'model', /no ONNX model/],
    [{ model: input }, 'invalid_parameter', 'model', /purpose: input/],
    [{ input: '{}' }, 'model_input_invalid', 'input', /missing/],
    [{ input: '{"x":{"dtype":"float32","shape":[2],"data":[1,2]}}' }, 'model_input_invalid', 'input', /shape/],
  ] as const) {
    const answer = await server.request('POST', '/v1/tasks', {
      json: { type: 'custom', model: id, input: tensors(1, 2), ...json },
    })
    assertProblem(answer, 400, code, param)
    assert.match(answer.body.detail, said)
  }
})

test('nobody runs the models and files of another account', async () => {
  const stranger: Caller = callerWith(server, 'the stranger', await keyOf(server, await newAccount(server, 'stranger')))
  const [model, file] = [await register(double), await uploadModel(double)]
  for (const [type, known] of [
    ['inference', model],
    ['custom', model],
    ['custom', file],
    ['batch', model],
  ] as const) {
    const ask = (id: string) => stranger.call('POST', '/v1/tasks', { json: { type, model: id, input: tensors(1, 2) } })
    const unknown = `${known.slice(0, known.indexOf('_'))}_01kaje5z1cf6tvnyxkkhbm3v8h`
    const [hidden, absent] = [await ask(known), await ask(unknown)]
    assertProblem(hidden, 400, 'invalid_parameter', 'model')
    assert.equal(hidden.body.detail.replaceAll(known, unknown), absent.body.detail)
  }
})

test('the sandbox answers tasks on own models as the real thing does, without running them', async () => {
  const call = callerWith(server, 'the sandbox', server.testKey)
  const file = await call.call('POST', '/v1/files?purpose=model', { raw: double })
  const model = await call.call('POST', '/v1/models', { json: { name: 'Double', file: file.body.id } })
  assert.equal(model.status, 201, model.text)
  for (const [type, id] of [
    ['inference', model.body.id],
    ['custom', model.body.id],
    ['custom', file.body.id],
  ] as const) {
    const { body } = await call.call('POST', '/v1/tasks', {
      json: { type, model: id, input: tensors(1, 2) },
      headers: { prefer: 'wait=50' },
    })
    assert.equal(body.status, 'succeeded', JSON.stringify(body))
    assert.equal(body.engine.kind, 'mock')
    assert.deepEqual([body.output.y.dtype, body.output.y.shape], ['float32', [1, 2]])
  }
})

test('a server that was killed runs the models that it had', async () => {
  const id = await register(double)
  await server.kill()
  await server.restart()
  const task = await run(server, { type: 'inference', model: id, input: tensors(1, 2) })
  assert.deepEqual(task.output, { y: { dtype: 'float32', shape: [1, 2], data: [2, 4] } })
})
