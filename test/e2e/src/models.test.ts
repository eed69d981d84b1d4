import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, ownModels, run, TIME } from './tasks.ts'
import { type Visited, visitServer } from './visited-server.ts'

let server: Visited
before(async () => {
  server = await visitServer()
})
after(() => server.leave())

test('the models are listed with what a caller needs to use them', async () => {
  const answer = await server.request('GET', '/v1/models?limit=100')
  assert.equal(answer.status, 200, answer.text)
  assert.equal(answer.body.object, 'list')
  assert.equal(answer.body.has_more, false)
  const known = new Map<string, Record<string, unknown>>(
    answer.body.data.map((model: { id: string }) => [model.id, model]),
  )
  for (const [id, format] of [
    ['pp-ocr-v4', 'image'],
    ['silero-vad', 'audio'],
    ['magika', 'bytes'],
    ['digits', 'json'],
    ['spin', 'tensors'],
  ] as const) {
    const model = known.get(id)
    assert.ok(model, id)
    assert.equal(model.object, 'model')
    assert.equal(model.kind, 'inference')
    assert.equal(model.input_format, format)
    assert.equal(model.format, 'onnx')
    assert.equal(model.status, 'ready')
    assert.equal(model.owned_by, id === 'spin' ? 'operator' : 'millhand')
    assert.match(String(model.version), /^sha256:[0-9a-f]{64}$/)
    assert.match(String(model.created_at), TIME)
    assert.ok(String(model.license).length > 0 && String(model.description).length > 0)
    assert.ok(!('problem' in model))
  }
  const accuracy = (known.get('digits')?.metrics as { accuracy?: number } | undefined)?.accuracy
  assert.ok(accuracy !== undefined && accuracy >= 0.97 && accuracy <= 1, `held-out accuracy ${accuracy}`)
})

test('one model is answered as the list shows it, with an entity tag', async () => {
  const list = await server.request('GET', '/v1/models?limit=100')
  const one = await server.request('GET', '/v1/models/double')
  assert.deepEqual(
    one.body,
    list.body.data.find((model: { id: string }) => model.id === 'double'),
  )
  assert.deepEqual(one.body.inputs, [{ name: 'x', dtype: 'float32', shape: [-1, 2] }])
  assert.deepEqual(one.body.outputs, [{ name: 'y', dtype: 'float32', shape: [-1, 2] }])
  assert.equal(one.body.batchable, true)
  assert.equal(one.body.max_batch, 16)
  const held = await server.request('GET', '/v1/models/double', {
    headers: { 'if-none-match': String(one.headers.etag) },
  })
  assert.equal(held.status, 304)
})

test('the list of models pages', async () => {
  const whole = await server.request('GET', '/v1/models?limit=100&order=asc')
  const seen: string[] = []
  for (let cursor = ''; ; ) {
    const page = await server.request('GET', `/v1/models?limit=2&order=asc${cursor}`)
    assert.equal(page.status, 200, page.text)
    seen.push(...page.body.data.map((model: { id: string }) => model.id))
    if (!page.body.has_more) break
    cursor = `&cursor=${encodeURIComponent(page.body.next_cursor)}`
  }
  assert.deepEqual(
    seen,
    whole.body.data.map((model: { id: string }) => model.id),
  )
  assert.deepEqual(seen, seen.toSorted())
  assertProblem(await server.request('GET', '/v1/models?cursor=nonsense'), 400, 'invalid_cursor', 'cursor')
})

test('a model that nobody has is 404', async () => {
  for (const id of ['nothing', '%00', '..', 'model_01kaje5z1cf6tvnyxkkhbm3v8h']) {
    const answer = await server.request('GET', `/v1/models/${id}`)
    assert.equal(answer.status, 404, answer.text)
  }
})

test('broken models are named with what is wrong, and the others work', async () => {
  for (const [id, problem] of [
    ['no-json', /JSON/],
    ['not-onnx', /ONNX/],
  ] as const) {
    const { body } = await server.request('GET', `/v1/models/${id}`)
    assert.equal(body.status, 'broken')
    assert.match(body.problem, problem)
    assert.ok(!body.problem.includes(ownModels), 'no paths of the server are told')
  }
  const input = JSON.stringify({ x: { dtype: 'float32', shape: [1, 2], data: [1, 2] } })
  assert.equal((await run(server, { type: 'inference', model: 'double', input })).status, 'succeeded')
})

test('every model runs the example that it names', async () => {
  const { data } = (await server.request('GET', '/v1/models?limit=100')).body
  for (const { id, example_input: input, status } of data) {
    if (status !== 'ready' || input === undefined) continue
    const task = await run(server, { type: 'inference', model: id, input })
    assert.equal(task.status, 'succeeded', `${id}: ${JSON.stringify(task.error)}`)
    assert.ok(task.output !== null && typeof task.output === 'object', id)
  }
})
