/** Files that tasks take and give. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, readFileSync, watch } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, before, test } from 'node:test'
import { upload } from './files.ts'
import { repository } from './server.ts'
import { assertProblem, clearAll, create, digit, FOREVER_MS, reaches, run, spin } from './tasks.ts'
import { type Visited, visitServer } from './visited-server.ts'

const fixture = (name: string) => readFileSync(join(repository, 'test/fixtures', name))

let server: Visited
before(async () => {
  server = await visitServer()
})
afterEach(() => clearAll(server))
after(() => server.leave())

const post = (json: object) => server.request('POST', '/v1/tasks', { json })
const remove = (id: string) => server.request('DELETE', `/v1/files/${id}`)
const content = (id: string) => server.request('GET', `/v1/files/${id}/content`)
const inference = (model: string, input_file: string, more: object = {}) => ({
  type: 'inference',
  model,
  input_file,
  ...more,
})
/** Folders with inputs that are there now. */
const inputsLeft = () => readdirSync(server.tmpDir).filter(name => name.startsWith('millhand-inputs-'))

/** The same, once they are as they should be. */
async function inputs(isSo: (found: readonly string[]) => boolean): Promise<string[]> {
  const watcher = watch(server.tmpDir)
  try {
    for (let found = inputsLeft(); ; found = inputsLeft()) {
      if (isSo(found)) return found
      await once(watcher, 'change')
    }
  } finally {
    watcher.close()
  }
}
const appeared = () => inputs(found => found.length > 0)

test('a picture, a recording and text read from files as they read from the body', async () => {
  for (const [model, bytes, mediaType] of [
    ['pp-ocr-v4', fixture('receipt.png'), 'image/png'],
    ['silero-vad', fixture('speech.wav'), 'audio/wav'],
  ] as const) {
    const file = await upload(server, bytes, '', mediaType)
    const input = `data:${mediaType};base64,${bytes.toString('base64')}`
    const [byFile, inline] = await Promise.all([
      run(server, inference(model, file.id)),
      run(server, { type: 'inference', model, input }),
    ])
    assert.equal(byFile.status, 'succeeded', JSON.stringify(byFile.error))
    assert.deepEqual(byFile.output, inline.output)
    assert.deepEqual([byFile.input_file, byFile.input, inline.input_file], [file.id, undefined, undefined])
  }
  const { input, ...rest } = digit(4) as { input: string }
  const file = await upload(server, input)
  const [byFile, inline] = [await run(server, { ...rest, input_file: file.id }), await run(server, digit(4))]
  assert.deepEqual(byFile.output, inline.output)
  assert.deepEqual(inputsLeft(), [])
})

test('a photograph of several megabytes is read from its file', async () => {
  const file = await upload(server, fixture('photograph.jpg'), 'filename=photograph.jpg', 'image/jpeg')
  const { status, output, error } = await run(server, inference('pp-ocr-v4', file.id))
  assert.equal(status, 'succeeded', JSON.stringify(error))
  assert.match(output.text, /^Ockham Park, 5 July 1843\nThe Analytical Engine has no pretensions\n/)
  assert.deepEqual([output.width, output.height], [4000, 3000])
})

test('exactly one input, from a file of one’s own that can be one', async () => {
  const { input } = digit(1) as { input: string }
  const [text, model, picture] = await Promise.all([
    upload(server, input),
    upload(server, 'x', 'purpose=model'),
    upload(server, fixture('receipt.png'), '', 'image/png'),
  ])
  const refused: [what: string, request: object, code: string, param: string][] = [
    ['neither', { type: 'inference', model: 'digits' }, 'missing_parameter', 'input'],
    ['an empty one', { type: 'inference', model: 'digits', input: '' }, 'missing_parameter', 'input'],
    ['both', inference('digits', text.id, { input }), 'invalid_parameter', 'input_file'],
    ['an unknown file', inference('digits', 'file_00000000000000000000000000'), 'invalid_parameter', 'input_file'],
    ['a path', inference('digits', '../../etc/passwd'), 'invalid_parameter', 'input_file'],
    ['a model', inference('digits', model.id), 'invalid_parameter', 'input_file'],
    ['text for a picture', inference('pp-ocr-v4', text.id), 'model_input_invalid', 'input_file'],
    ['a picture for a recording', inference('silero-vad', picture.id), 'model_input_invalid', 'input_file'],
    ['a picture for numbers', inference('digits', picture.id), 'model_input_invalid', 'input_file'],
  ]
  for (const [what, request, code, param] of refused) {
    const problem = assertProblem(await post(request), 400, code, param)
    assert.equal(problem.errors.length, 1, what)
  }
  await remove(text.id)
  assertProblem(await post(inference('digits', text.id)), 400, 'invalid_parameter', 'input_file')
})

test('a file that only begins as a picture fails its task', async () => {
  const file = await upload(server, fixture('receipt.png').subarray(0, 3_000), '', 'image/png')
  const { status, error } = await run(server, inference('pp-ocr-v4', file.id))
  assert.deepEqual([status, error.code, error.retryable], ['failed', 'model_input_invalid', false])
  assert.deepEqual(inputsLeft(), [])
})

test('a file stays while a task needs it, and its name may be anything', async () => {
  const busy = await create(server, spin(FOREVER_MS))
  await reaches(server, busy.id, 'running')
  const { input } = spin(1) as { input: string }
  const file = await upload(server, input, `filename=${encodeURIComponent('../../../etc/passwd')}`)
  const queued = await create(server, inference('spin', file.id, { priority: 'low' }))
  const problem = assertProblem(await remove(file.id), 409, 'invalid_state')
  assert.match(problem.detail, new RegExp(queued.id))
  await server.request('DELETE', `/v1/tasks/${queued.id}`)
  assert.equal((await remove(file.id)).status, 200)
  assert.equal((await server.request('GET', `/v1/tasks/${queued.id}`)).body.input_file, file.id)
})

test('an output over 256 KiB is a file, which goes with the task’s data', async () => {
  const count = 60_000
  const data = Array.from({ length: count }, (_, index) => index + 0.5)
  const file = await upload(server, JSON.stringify({ x: { dtype: 'float32', shape: [count / 2, 2], data } }))
  const task = await run(server, inference('double', file.id))
  assert.equal(task.status, 'succeeded', JSON.stringify(task.error))
  assert.deepEqual([task.output, typeof task.output_file], [undefined, 'string'])
  const { body: described } = await server.request('GET', `/v1/files/${task.output_file}`)
  assert.deepEqual(
    [described.purpose, described.filename, described.media_type, described.expires_at],
    ['output', `${task.id}.json`, 'application/json', task.data_expires_at],
  )
  const [output] = Object.values((await content(task.output_file)).body) as { data: number[] }[]
  assert.deepEqual([output?.data.length, output?.data[1], output?.data.at(-1)], [count, 3, 2 * count - 1])
  const listed = await server.request('GET', '/v1/tasks?model=double&limit=1')
  assert.equal(listed.body.data[0].output_file, task.output_file)

  const bare = await server.request('DELETE', `/v1/tasks/${task.id}/data`)
  assert.deepEqual([bare.status, bare.body.output_file, bare.body.input_file], [200, undefined, file.id])
  assertProblem(await content(task.output_file), 404, 'not_found')
  assert.equal((await server.request('DELETE', `/v1/tasks/${task.id}/data`)).status, 200)
  assert.equal((await remove(file.id)).status, 200)
})

test('a server that was killed in a run leaves none of its files once it is back', async () => {
  const { input } = spin(FOREVER_MS) as { input: string }
  const file = await upload(server, input)
  const { id } = await create(server, inference('spin', file.id))
  await reaches(server, id, 'running')
  const before = await appeared()
  await server.kill()
  assert.deepEqual(inputsLeft(), before)
  await server.restart()
  assert.deepEqual(
    inputsLeft().filter(name => before.includes(name)),
    [],
  )
  await server.request('DELETE', `/v1/tasks/${id}`)
  await reaches(server, id, 'cancelled')
  // An executor that had just taken it up hears of its end a second later.
  await inputs(found => found.length === 0)
})
