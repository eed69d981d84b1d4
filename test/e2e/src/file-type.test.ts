/** Types of files through REST: any bytes, in the request or as a file. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { upload } from './files.ts'
import { repository } from './server.ts'
import { assertProblem, run } from './tasks.ts'
import { type Visited, visitServer } from './visited-server.ts'

let server: Visited
before(async () => {
  server = await visitServer()
})
after(() => server.leave())

const read = (path: string) => readFileSync(join(repository, path))
const uri = (bytes: Uint8Array, mediaType = 'application/octet-stream') =>
  `data:${mediaType};base64,${Buffer.from(bytes).toString('base64')}`
const magika = (rest: object) => ({ type: 'inference', model: 'magika', ...rest })

/** Whatever their names say. */
const files: readonly (readonly [bytes: Buffer, label: string, mediaType: string])[] = [
  [read('test/fixtures/receipt.png'), 'png', 'image/png'],
  [read('test/fixtures/speech.wav').subarray(0, 20_000), 'wav', 'audio/x-wav'],
  [read('deploy/models/digits/train.py'), 'python', 'text/x-python'],
  [read('package.json'), 'json', 'application/json'],
  [gzipSync(read('README.md')), 'gzip', 'application/gzip'],
  [Buffer.alloc(0), 'empty', 'inode/x-empty'],
  [Buffer.from('läng'), 'txt', 'text/plain'],
  [Buffer.from([0xff, 0xfe]), 'unknown', 'application/octet-stream'],
]

test('the type of any bytes, in the request as in a file, whatever media type they claim', async () => {
  for (const [bytes, label, mediaType] of files) {
    const file = await upload(server, bytes, 'filename=a.docx', 'application/msword')
    const [inline, byFile] = await Promise.all([
      run(server, magika({ input: uri(bytes, 'application/vnd.ms-excel') })),
      run(server, magika({ input_file: file.id })),
    ])
    assert.equal(inline.status, 'succeeded', `${label}: ${JSON.stringify(inline.error)}`)
    assert.deepEqual([inline.output.label, inline.output.media_type], [label, mediaType])
    assert.deepEqual(byFile.output, inline.output, label)
  }
})

test('a large file is told by its ends', async () => {
  const bytes = Buffer.alloc(24 * 2 ** 20)
  read('test/fixtures/receipt.png').copy(bytes)
  const file = await upload(server, bytes, '', 'application/octet-stream')
  const { status, output, error } = await run(server, magika({ input_file: file.id }))
  assert.equal(status, 'succeeded', JSON.stringify(error))
  assert.equal(output.model_label, 'png')
})

test('a batch task has the type of each line', async () => {
  const lines = files.map(([bytes]) => JSON.stringify(uri(bytes)))
  const task = await run(server, { type: 'batch', model: 'magika', input: [...lines, '"no file"'].join('\n') })
  assert.equal(task.status, 'succeeded', JSON.stringify(task.error))
  const { text } = await server.request('GET', `/v1/files/${task.output_file}/content`)
  const results = text.trim().split('\n')
  assert.deepEqual(
    results.map(line => JSON.parse(line).output?.label ?? JSON.parse(line).error.code),
    [...files.map(([, label]) => label), 'model_input_invalid'],
  )
})

test('the model says what it reads and gives', async () => {
  const { body } = await server.request('GET', '/v1/models/magika')
  assert.deepEqual([body.input_format, body.license, body.status], ['bytes', 'Apache-2.0', 'ready'])
  const { output } = await run(server, magika({ input: body.example_input }))
  assert.deepEqual(Object.keys(output), body.output_schema.required)
  const sure = magika({ input: uri(Buffer.from('print(1)')), parameters: { prediction_mode: 'best_guess' } })
  assert.equal((await run(server, sure)).output.overwrite_reason, 'none')
})

test('what is no data URI, or has broken base64, is refused, and a wrong parameter fails the task', async () => {
  for (const input of ['PDF', 'data:text/plain,PDF', 'data:;base64', 'https://example.com/a.pdf']) {
    const answer = await server.request('POST', '/v1/tasks', { json: magika({ input }) })
    assertProblem(answer, 400, 'model_input_invalid', 'input')
    assert.match(answer.body.detail, /data URI with base64/)
  }
  const broken = await server.request('POST', '/v1/tasks', { json: magika({ input: 'data:;base64,a text' }) })
  assertProblem(broken, 400, 'model_input_invalid', 'input')
  assert.match(broken.body.detail, /is not base64: 5 characters are no whole groups of four/)
  const wrong = await run(server, magika({ input: uri(Buffer.from('text')), parameters: { prediction_mode: 'sure' } }))
  assert.deepEqual([wrong.status, wrong.error.code], ['failed', 'model_input_invalid'])
  assert.match(wrong.error.message, /`prediction_mode` must be one of high_confidence, medium_confidence, best_guess/)
})
