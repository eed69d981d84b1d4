/** Models that an account registers from files of its own. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { upload } from './files.ts'
import { assertProblem, ownModels, TIME } from './tasks.ts'
import { type Visited, visitServer } from './visited-server.ts'

let server: Visited
before(async () => {
  server = await visitServer()
})
after(() => server.leave())

const double = readFileSync(join(ownModels, 'double/model.onnx'))

const uploadModel = async (bytes: Uint8Array = double): Promise<string> =>
  (await upload(server, bytes, 'purpose=model', 'application/octet-stream')).id

const register = (json: object) => server.request('POST', '/v1/models', { json })

async function registered(json: object = {}) {
  const answer = await register({ name: 'Double', file: await uploadModel(), ...json })
  assert.equal(answer.status, 201, answer.text)
  return answer.body
}

test('a file becomes a model that is shown with what is in it, and listed', async () => {
  const answer = await register({
    name: 'Double',
    file: await uploadModel(),
    description: 'Twice as much.',
    license: 'MIT',
    batchable: true,
    metrics: { accuracy: 1 },
    example_input: '{"x":{"dtype":"float32","shape":[1,2],"data":[1,2]}}',
  })
  assert.equal(answer.status, 201, answer.text)
  const { id, created_at, version, operators, output_schema, ...model } = answer.body
  assert.match(id, /^model_[0-9a-z]{26}$/)
  assert.equal(answer.headers.location, `/v1/models/${id}`)
  assert.match(created_at, TIME)
  assert.match(version, /^sha256:[0-9a-f]{64}$/)
  assert.ok(operators.length > 0)
  assert.equal(typeof output_schema, 'object')
  assert.deepEqual(model, {
    object: 'model',
    name: 'Double',
    kind: 'inference',
    description: 'Twice as much.',
    owned_by: model.owned_by,
    format: 'onnx',
    input_format: 'tensors',
    inputs: [{ name: 'x', dtype: 'float32', shape: [-1, 2] }],
    outputs: [{ name: 'y', dtype: 'float32', shape: [-1, 2] }],
    batchable: true,
    max_batch: 32,
    trainable: false,
    trainable_parts: [],
    engines: ['cpu'],
    license: 'MIT',
    status: 'ready',
    example_input: '{"x":{"dtype":"float32","shape":[1,2],"data":[1,2]}}',
    metrics: { accuracy: 1 },
    bytes: double.length,
    opsets: model.opsets,
  })
  assert.ok(model.opsets['ai.onnx'] > 0)
  assert.match(model.owned_by, /^acct_/)
  assert.deepEqual((await server.request('GET', `/v1/models/${id}`)).body, answer.body)
  const { data } = (await server.request('GET', '/v1/models?limit=100')).body
  // What can be long is in the record alone.
  const { output_schema: _, ...listed } = answer.body
  assert.deepEqual(
    data.filter((each: { id: string }) => each.id === id),
    [{ ...listed, opsets: {}, operators: [] }],
  )
  assert.ok(data.some((each: { id: string }) => each.id === 'digits'))
})

test('the list pages through own models and those of the deployment', async () => {
  const made = [await registered(), await registered(), await registered()]
  const whole: string[] = (await server.request('GET', '/v1/models?limit=100')).body.data.map(
    (each: { id: string }) => each.id,
  )
  assert.ok(made.every(({ id }) => whole.includes(id)))
  assert.deepEqual(whole, whole.toSorted().reverse())
  const paged: string[] = []
  for (let cursor = ''; ; ) {
    const { body } = await server.request('GET', `/v1/models?limit=2${cursor}`)
    paged.push(...body.data.map((each: { id: string }) => each.id))
    if (!body.has_more) break
    cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`
  }
  assert.deepEqual(paged, whole)
})

test('a deleted model is gone, and deleting it again is answered the same', async () => {
  const { id } = await registered()
  for (const _ of [1, 2]) {
    const answer = await server.request('DELETE', `/v1/models/${id}`)
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(answer.body, { object: 'model_deletion', id, deleted: true })
  }
  assertProblem(await server.request('GET', `/v1/models/${id}`), 404, 'not_found')
  const { text } = await server.request('GET', '/v1/models?limit=100')
  assert.ok(!text.includes(id))
  assertProblem(await server.request('DELETE', '/v1/models/model_01kaje5z1cf6tvnyxkkhbm3v8h'), 404, 'not_found')
  assertProblem(await server.request('DELETE', '/v1/models/digits'), 409, 'invalid_state')
})

test('the file may go once the model is there', async () => {
  const file = await uploadModel()
  const { id } = await registered({ file })
  assert.equal((await server.request('DELETE', `/v1/files/${file}`)).status, 200)
  assert.equal((await server.request('GET', `/v1/models/${id}`)).body.status, 'ready')
  assertProblem(await register({ name: 'Double', file }), 400, 'invalid_parameter', 'file')
})

test('what can not be registered says why, and leaves nothing', async () => {
  const count = async () => (await server.request('GET', '/v1/models?limit=100')).body.data.length
  const before = await count()
  const file = await uploadModel()
  const text = (await upload(server, 'no model', 'purpose=model')).id
  const input = (await upload(server, double)).id
  for (const [json, param, said, code] of [
    [{ file: 'file_01kaje5z1cf6tvnyxkkhbm3v8h' }, 'file', /no file/],
    [{ file: input }, 'file', /purpose: model/],
    [{ file: text }, 'file', /no ONNX model/, 'model_invalid'],
    [{ preprocess: { name: 'numbers' } }, 'preprocess.count', /number/],
    [{ preprocess: { name: 'guess' } }, 'preprocess.name', /one of/],
    [{ preprocess: { name: 'text' } }, 'preprocess', /float32/],
    [{ preprocess: { name: 'image', width: 2, height: 2, size: 3 } }, 'preprocess.size', /not known/],
    [{ postprocess: { name: 'classify', top: 0 } }, 'postprocess.top', /number/],
    [{ example_input: '{"z":1}' }, 'example_input', /does not fit/],
  ] as const) {
    const answer = await register({ name: 'Double', file, ...json })
    assertProblem(answer, 400, code ?? 'invalid_parameter', param)
    assert.match(answer.body.detail, said)
  }
  assertProblem(await register({ name: 'Double', file, files: {} }), 400, 'unknown_parameter', 'files')
  assertProblem(await register({ file }), 400, 'missing_parameter', 'name')
  assertProblem(await register({ name: 'Double' }), 400, 'missing_parameter', 'file')
  assert.equal(await count(), before)
})

test('events tell of models that are made and deleted', async () => {
  const model = await registered()
  await server.request('DELETE', `/v1/models/${model.id}`)
  const deadline = performance.now() + 120_000
  for (;;) {
    const { body } = await server.request('GET', `/v1/events?resource_id=${model.id}`)
    if (body.data.length === 2) {
      const [deleted, created] = body.data
      assert.deepEqual([created.type, deleted.type], ['model.created', 'model.deleted'])
      const { output_schema: _, ...listed } = model
      assert.deepEqual(created.data.object, { ...listed, opsets: {}, operators: [], resource_version: 1 })
      assert.equal(deleted.resource_version, 2)
      return
    }
    assert.ok(performance.now() < deadline)
    await new Promise(resolve => setTimeout(resolve, 50))
  }
})
