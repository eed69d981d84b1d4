/** Tasks over many inputs: `type: batch`. */
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { upload } from './files.ts'
import type { Wire } from './http.ts'
import { requests } from './server.ts'
import { assertProblem, clearAll, create, digit, ended, FOREVER_MS, reaches, run, spin } from './tasks.ts'
import { type Visited, visitServer } from './visited-server.ts'

let server: Visited
before(async () => {
  server = await visitServer()
})
after(() => server.leave())
afterEach(() => clearAll(server))

const lineOf = (create: object) => (create as { input: string }).input
const batch = (model: string, lines: readonly string[], more: object = {}) => ({
  type: 'batch',
  model,
  input: lines.join('\n'),
  ...more,
})

/** The lines of a task's output file. */
async function outputOf(file: string): Promise<Wire[]> {
  const { status, text } = await server.request('GET', `/v1/files/${file}/content`)
  assert.equal(status, 200, text)
  return text.split('\n').flatMap(line => (line === '' ? [] : [JSON.parse(line)]))
}

/** The record of a task that has succeeded shows the progress of its end. */
function assertIsDone({ progress }: Wire, lines: number, failed: number): void {
  const { lines_per_second, ...metrics } = progress.metrics
  assert.ok(lines_per_second > 0, JSON.stringify(progress))
  assert.deepEqual([progress.fraction, progress.message], [1, `${lines} lines done`])
  assert.deepEqual(metrics, { lines, failed, seconds_left: 0 })
}

test('each line has its result, in order, and a bad line fails alone', async () => {
  const lines = [...Array(25).keys()].map(number => lineOf(digit(number % 10)))
  lines[3] = '[1, 2'
  lines[7] = '"a text"'
  const task = await run(server, batch('digits', [...lines.slice(0, 5), '', ...lines.slice(5), '']))
  assert.equal(task.status, 'succeeded', JSON.stringify(task.error))
  assert.deepEqual([task.type, task.usage.items, task.output], ['batch', 25, undefined])
  assertIsDone(task, 25, 2)
  const file = await server.request('GET', `/v1/files/${task.output_file}`)
  assert.deepEqual([file.body.purpose, file.body.media_type], ['output', 'application/jsonl'])
  const output = await outputOf(task.output_file)
  assert.deepEqual(
    output.map(({ index }) => index),
    [...lines.keys()],
  )
  for (const { index, output: result, error } of output) {
    if (index === 3 || index === 7) assert.deepEqual([result, error.code], [undefined, 'model_input_invalid'])
    else assert.equal(result.digit, index % 10)
  }
  assert.deepEqual(output[0]?.output, (await run(server, digit(0))).output)
})

test('a file of lines is read as it comes, and its progress is told', async () => {
  const count = 20_000
  const lines = [...Array(count).keys()].map(number => lineOf(digit(number % 10)))
  const file = await upload(server, lines.join('\n'), 'filename=lines.jsonl')
  const task = await run(server, { type: 'batch', model: 'digits', input_file: file.id, run_timeout_s: 3_600 })
  assert.equal(task.status, 'succeeded', JSON.stringify(task.error))
  const output = await outputOf(task.output_file)
  assert.equal(output.length, count)
  assert.ok(output.every(({ index, output: result }, at) => index === at && result.digit === at % 10))
  assertIsDone(task, count, 0)
})

test('what is done is kept on a cancel and when its time is over', async () => {
  const slow = [lineOf(spin(1)), lineOf(spin(2)), lineOf(spin(FOREVER_MS))]
  const cancelled = await create(server, batch('spin', slow, { run_timeout_s: 3_600 }))
  await progressed(cancelled.id)
  await server.request('DELETE', `/v1/tasks/${cancelled.id}`)
  let late: Wire
  // The slower the machine, the longer it takes until a line is done.
  for (let seconds = 10; late?.output_file === undefined && seconds < 300; seconds *= 3) {
    late = await run(server, batch('spin', slow, { run_timeout_s: seconds }))
    assert.deepEqual([late.status, late.error.code], ['failed', 'run_timeout'])
  }
  const ofCancelled = await ended(server, cancelled.id)
  assert.deepEqual([ofCancelled.status, ofCancelled.error], ['cancelled', undefined])
  for (const task of [ofCancelled, late]) {
    const output = await outputOf(task.output_file)
    assert.ok(output.length > 0 && output.length < 3)
    assert.equal(task.usage.items, output.length)
  }
})

/** Waits until the run has told of a line that is done. */
async function progressed(id: string): Promise<void> {
  const deadline = performance.now() + 300_000
  while (!((await server.request('GET', `/v1/tasks/${id}`)).body.progress?.metrics.lines > 0))
    assert.ok(performance.now() < deadline, `no line of ${id} is done`)
}

test('an executor that is killed costs no line: the next attempt goes on after what is kept', async () => {
  const count = 1_500
  const lines = [...Array(count).keys()].map(() => lineOf(spin(2)))
  const { id } = await create(server, batch('spin', lines, { run_timeout_s: 3_600 }))
  await progressed(id)
  await server.kill()
  await server.restart()
  const task = await ended(server, id)
  assert.equal(task.status, 'succeeded', JSON.stringify(task.error))
  const output = await outputOf(task.output_file)
  assert.deepEqual(
    output.map(({ index }) => index),
    [...lines.keys()],
  )
})

test('lines that are none, and what is not there, are refused', async () => {
  const post = (json: object) => server.request('POST', '/v1/tasks', { json })
  assertProblem(await post(batch('digits', ['', ' '])), 400, 'model_input_invalid', 'input')
  assertProblem(await post(batch('nothing', ['[1]'])), 400, 'invalid_parameter', 'model')
  const blank = await upload(server, ' \n\n')
  assertProblem(
    await post({ type: 'batch', model: 'digits', input_file: blank.id }),
    400,
    'model_input_invalid',
    'input_file',
  )
})

test('single tasks of the same model run beside it', async () => {
  const { id } = await create(server, batch('spin', [lineOf(spin(FOREVER_MS))]))
  await reaches(server, id, 'running')
  assert.equal((await run(server, spin(1))).status, 'succeeded')
  assert.equal((await server.request('GET', `/v1/tasks/${id}`)).body.status, 'running')
})

test('the sandbox answers each line, and fails those that ask for it', async () => {
  const sandbox = { ...server, request: requests(server.url, server.testKey) }
  const task = await run(sandbox, batch('digits', [lineOf(digit(1)), '"sandbox:fail"', lineOf(digit(2))]))
  assert.deepEqual([task.status, task.mode, task.usage.items], ['succeeded', 'test', 3])
  const { text } = await sandbox.request('GET', `/v1/files/${task.output_file}/content`)
  const [first, second, third] = text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  assert.deepEqual([first.index, second.index, third.index], [0, 1, 2])
  assert.ok('digit' in first.output && 'digit' in third.output)
  assert.equal(second.error.code, 'sandbox_failure')
})
