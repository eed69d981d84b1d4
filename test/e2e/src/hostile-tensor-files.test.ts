/** Files of tensors, and pictures, that are made to do harm: each has a clear error, and neighbours run as before. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { crc32 } from 'node:zlib'
import { upload } from './files.ts'
import { floats, lyingFiles, npy, safetensors, zip } from './hostile-archives.ts'
import { repository } from './server.ts'
import { ended, ownModels, run } from './tasks.ts'
import { type Visited, visitServer } from './visited-server.ts'

let server: Visited
let model: string
before(async () => {
  server = await visitServer()
  const double = readFileSync(join(ownModels, 'double/model.onnx'))
  model = (await upload(server, double, 'purpose=model', 'application/octet-stream')).id
})
after(() => server.leave())

/** The reason why a file is no input: at once, or once its task has run. */
async function faultOf(task: object): Promise<string> {
  const answer = await server.request('POST', '/v1/tasks', { json: task })
  if (answer.status === 400) {
    assert.deepEqual([answer.body.code, answer.body.param], ['model_input_invalid', 'input_file'], answer.text)
    return answer.body.detail
  }
  assert.equal(answer.status, 201, answer.text)
  const { status, error } = await ended(server, answer.body.id)
  assert.deepEqual([status, error?.code], ['failed', 'model_input_invalid'], JSON.stringify(error))
  return error.message
}

async function assertNeighboursRun(): Promise<void> {
  const input = JSON.stringify({ x: { dtype: 'float32', shape: [1, 2], data: [1, 2] } })
  const task = await run(server, { type: 'custom', model, input })
  assert.equal(task.status, 'succeeded', JSON.stringify(task.error))
}

for (const [name, bytes, said] of lyingFiles) {
  test(`a file is refused that has ${name}`, async () => {
    const { id } = await upload(server, bytes)
    const [reason] = await Promise.all([faultOf({ type: 'custom', model, input_file: id }), assertNeighboursRun()])
    assert.match(reason, said)
    assert.ok(reason.length < 2_100, reason)
    assert.ok(!reason.includes('/tmp/'), reason)
  })
}

test('the honest files of these tests are read', async () => {
  for (const bytes of [zip([{}]), zip([{ method: 8 }]), zip([{ content: npy(undefined, floats(3, 4), [3, 0]) }])]) {
    const { id } = await upload(server, bytes)
    assert.equal((await run(server, { type: 'custom', model, input_file: id })).status, 'succeeded')
  }
  const special = safetensors(
    { x: { dtype: 'F32', shape: [1, 2], data_offsets: [0, 8] } },
    floats(Number.NaN, Number.NEGATIVE_INFINITY),
  )
  const { id } = await upload(server, special)
  const task = await run(server, { type: 'custom', model, input_file: id })
  assert.deepEqual(task.output.y.data, ['NaN', '-Infinity'])
})

/** A picture of 1 pixel that says other sides. */
function png(width: number, height: number): Buffer {
  const picture = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  picture.writeUInt32BE(width, 16)
  picture.writeUInt32BE(height, 20)
  picture.writeUInt32BE(crc32(picture.subarray(12, 29)), 29)
  return picture
}

for (const [name, bytes] of [
  ['a picture of 60,000 by 60,000 pixels', png(60_000, 60_000)],
  ['a picture of 30,000 by 30,000 pixels', png(30_000, 30_000)],
  ['a picture of 1 by 40,000,000 pixels', png(1, 40_000_000)],
  ['a picture that is cut off', readFileSync(join(repository, 'test/fixtures/receipt.png')).subarray(0, 400)],
  ['a zip file for a picture', zip([{}])],
] as const) {
  test(`a file is refused that is ${name}`, async () => {
    const { id } = await upload(server, bytes, '', 'image/png')
    const [reason] = await Promise.all([
      faultOf({ type: 'inference', model: 'pp-ocr-v4', input_file: id }),
      assertNeighboursRun(),
    ])
    assert.ok(reason.length < 2_100, reason)
  })
}
