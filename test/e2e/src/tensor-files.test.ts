/** Tensors in files of NumPy and safetensors, as inputs and as outputs. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { callerWith } from './account-resources.ts'
import { upload } from './files.ts'
import { repository } from './server.ts'
import { assertProblem, ownModels, run } from './tasks.ts'
import { type Visited, visitServer } from './visited-server.ts'

let server: Visited
let double: string
before(async () => {
  server = await visitServer()
  double = await uploadModel(readFileSync(join(ownModels, 'double/model.onnx')))
})
after(() => server.leave())

const uploadModel = async (bytes: Uint8Array): Promise<string> =>
  (await upload(server, bytes, 'purpose=model', 'application/octet-stream')).id

/** A safetensors file. */
function safetensors(header: object, ...data: readonly Uint8Array[]): Buffer {
  const text = Buffer.from(JSON.stringify(header))
  const length = Buffer.alloc(8)
  length.writeUInt32LE(text.length)
  return Buffer.concat([length, text, ...data])
}

const floats = (...values: number[]) => new Uint8Array(new Float32Array(values).buffer)

async function contentOf(file: string): Promise<Buffer> {
  const { status, bytes, text } = await server.request('GET', `/v1/files/${file}/content`)
  assert.equal(status, 200, text)
  return bytes
}

const everyTypeAt = join(repository, 'services/executor/src/onnx/fixtures')

test('outputs of every type come as a file of the format', async () => {
  const { everyType } = await import(join(everyTypeAt, 'every-type.ts'))
  const model = await uploadModel(readFileSync(join(everyTypeAt, 'plain-models/every-type.onnx')))
  const types = Object.keys(JSON.parse(everyType)).map(name => name.replace(/_in$/, ''))
  const numbers = types.filter(type => type !== 'string')
  for (const [format, given, begins, named, mediaType] of [
    ['npz', types, /^PK/, /\.npz$/, 'application/zip'],
    ['safetensors', numbers, /^.{8}\{/s, /\.safetensors$/, 'application/octet-stream'],
  ] as const) {
    const outputs = given.map(type => `${type}_out`)
    const parameters = { outputs, output_format: format }
    const task = await run(server, { type: 'custom', model, input: everyType, parameters })
    assert.equal(task.status, 'succeeded', JSON.stringify(task.error))
    assert.equal(task.output, undefined)
    const file = (await server.request('GET', `/v1/files/${task.output_file}`)).body
    assert.match(file.filename, named)
    assert.equal(file.media_type, mediaType)
    const text = (await contentOf(task.output_file)).toString('latin1')
    assert.match(text, begins)
    for (const name of outputs) assert.ok(text.includes(name), name)
  }
})

test('a file is what its content is, whatever its name and media type say', async () => {
  const bytes = safetensors(
    { x: { dtype: 'F32', shape: [2, 2], data_offsets: [0, 16] }, __metadata__: { by: 'a test' } },
    floats(1, 2, 3, -4),
  )
  const { id } = await upload(server, bytes, 'filename=x.json', 'application/json')
  const task = await run(server, { type: 'custom', model: double, input_file: id })
  assert.equal(task.status, 'succeeded', JSON.stringify(task.error))
  assert.deepEqual(task.output, { y: { dtype: 'float32', shape: [2, 2], data: [2, 4, 6, -8] } })

  const asNpz = await run(server, {
    type: 'custom',
    model: double,
    input_file: id,
    parameters: { output_format: 'npz' },
  })
  const npz = Buffer.from(
    (await contentOf(asNpz.output_file)).toString('latin1').replaceAll('y.npy', 'x.npy'),
    'latin1',
  )
  const again = await upload(server, npz, 'filename=x.safetensors')
  const twice = await run(server, { type: 'inference', model: 'double', input_file: again.id })
  assert.deepEqual(twice.output, { y: { dtype: 'float32', shape: [2, 2], data: [4, 8, 12, -16] } })
})

test('what can be known of a file is refused when the task is made, the rest fails the task', async () => {
  const x = { dtype: 'F32', shape: [1, 2], data_offsets: [0, 8] }
  for (const [bytes, said] of [
    [safetensors({ x: { ...x, dtype: 'F64', data_offsets: [0, 16] } }, floats(1, 2, 3, 4)), /must be float32/],
    [safetensors({ x: { ...x, shape: [2] } }, floats(1, 2)), /must have shape/],
    [safetensors({ z: x }, floats(1, 2)), /no input `z`/],
    [safetensors({ x: { ...x, dtype: 'BF16' } }, floats(1, 2)), /BF16, which .* does not carry/],
    [safetensors({ x }, floats(1, 2, 3)), /no tensor has its last bytes/],
  ] as const) {
    const { id } = await upload(server, bytes)
    const json = { type: 'custom', model: double, input_file: id }
    const answer = await server.request('POST', '/v1/tasks', { json })
    assertProblem(answer, 400, 'model_input_invalid', 'input_file')
    assert.match(answer.body.detail, said)
  }
  const { id } = await upload(server, Buffer.from('PK\x03\x04 and no more'))
  const task = await run(server, { type: 'custom', model: double, input_file: id })
  assert.deepEqual([task.status, task.error.code], ['failed', 'model_input_invalid'])
  assert.match(task.error.message, /no zip file/)
})

test('an output format is one that there is, and has the types of the outputs', async () => {
  const input = JSON.stringify({ x: { dtype: 'float32', shape: [1, 2], data: [1, 2] } })
  const everyType = await uploadModel(readFileSync(join(everyTypeAt, 'plain-models/every-type.onnx')))
  for (const json of [
    { type: 'custom', model: double, parameters: { output_format: 'xml' } },
    { type: 'custom', model: double, parameters: { output_format: null } },
    { type: 'custom', model: double, parameters: { output_format: ['npz'] } },
    { type: 'batch', model: 'double', parameters: { output_format: 'npz' } },
    { type: 'custom', model: everyType, parameters: { output_format: 'safetensors' }, input: '{}' },
  ]) {
    const answer = await server.request('POST', '/v1/tasks', { json: { input, ...json } })
    assert.equal(answer.status, 400, answer.text)
    assert.ok(
      answer.body.errors.some(({ param }: { param: string }) => param === 'parameters.output_format'),
      answer.text,
    )
  }
})

test('the sandbox answers with a file of the format too', async () => {
  const { call } = callerWith(server, 'the sandbox', server.testKey)
  const model = await call('POST', '/v1/files?purpose=model', {
    raw: readFileSync(join(ownModels, 'double/model.onnx')),
  })
  const input = JSON.stringify({ x: { dtype: 'float32', shape: [1, 2], data: [1, 2] } })
  for (const [output_format, begins] of [
    ['npz', /^PK/],
    ['safetensors', /^.{8}\{"y":/s],
  ] as const) {
    const json = { type: 'custom', model: model.body.id, input, parameters: { output_format } }
    const { body } = await call('POST', '/v1/tasks', { json, headers: { prefer: 'wait=50' } })
    assert.equal(body.status, 'succeeded', JSON.stringify(body))
    const { bytes } = await call('GET', `/v1/files/${body.output_file}/content`)
    assert.match(bytes.toString('latin1'), begins)
  }
})
