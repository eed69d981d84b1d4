import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Answer } from './http.ts'
import { assertProblem, create, digit, run } from './tasks.ts'
import { type Visited, visitServer } from './visited-server.ts'

let server: Visited
before(async () => {
  server = await visitServer()
})
after(() => server.leave())

const post = (
  raw: string | Uint8Array,
  headers: Record<string, string> = { 'content-type': 'application/json' },
): Promise<Answer> => server.request('POST', '/v1/tasks', { raw, headers })

/** After everything that was done to it, it works as before. */
async function lives(): Promise<void> {
  assert.equal((await run(server, digit(7))).output.digit, 7)
}

test('a body that is no JSON object is invalid_json', async () => {
  const utf8 = new TextEncoder().encode('{"type":"inference","model":"digits","input":"?"}')
  utf8[utf8.length - 3] = 0xff
  const table: Record<string, string | Uint8Array> = {
    'no body': '',
    'white space': '  \n ',
    'half an object': '{"type":"inference"',
    'an object and a half': '{}{',
    'a trailing comma': '{"type":"inference",}',
    'single quotes': "{'type':'inference'}",
    'a comment': '{/* */}',
    'a bare NUL': '{"type":"\0"}',
    NaN: '{"run_timeout_s":NaN}',
    'a form': 'type=inference&model=digits',
    'bytes that are no UTF-8': utf8,
    'an overlong UTF-8 sequence': Buffer.concat([
      Buffer.from('{"model":"'),
      Buffer.from([0xc0, 0xaf]),
      Buffer.from('"}'),
    ]),
    null: 'null',
    'an array': '[]',
    'a string': '"inference"',
    'a number': '1',
  }
  for (const [name, body] of Object.entries(table)) {
    const answer = await post(body)
    assert.equal(answer.status, 400, `${name}: ${answer.text}`)
    assertProblem(answer, 400, 'invalid_json')
  }
  await lives()
})

test('a field that is wrong is named, with what it must be', async () => {
  const table: readonly (readonly [more: object, code: string, param: string])[] = [
    [{ type: 'poetry' }, 'invalid_parameter', 'type'],
    [{ type: 'TASK_TYPE_INFERENCE' }, 'invalid_parameter', 'type'],
    [{ type: 1 }, 'invalid_parameter', 'type'],
    [{ type: null }, 'invalid_parameter', 'type'],
    [{ model: '' }, 'missing_parameter', 'model'],
    [{ model: 7 }, 'invalid_parameter', 'model'],
    [{ model: 'x'.repeat(129) }, 'invalid_parameter', 'model'],
    [{ model: 'dig\0its' }, 'invalid_parameter', 'model'],
    [{ input: 5 }, 'invalid_parameter', 'input'],
    [{ input: [1, 2] }, 'invalid_parameter', 'input'],
    [{ priority: 'urgent' }, 'invalid_parameter', 'priority'],
    [{ run_timeout_s: 0 }, 'invalid_parameter', 'run_timeout_s'],
    [{ run_timeout_s: 86_401 }, 'invalid_parameter', 'run_timeout_s'],
    [{ run_timeout_s: -1 }, 'invalid_parameter', 'run_timeout_s'],
    [{ run_timeout_s: 1.5 }, 'invalid_parameter', 'run_timeout_s'],
    [{ run_timeout_s: '600' }, 'invalid_parameter', 'run_timeout_s'],
    [{ run_timeout_s: true }, 'invalid_parameter', 'run_timeout_s'],
    [{ queue_timeout_s: 604_801 }, 'invalid_parameter', 'queue_timeout_s'],
    [{ max_attempts: 11 }, 'invalid_parameter', 'max_attempts'],
    [{ max_attempts: 0 }, 'invalid_parameter', 'max_attempts'],
    [{ parameters: 'fast' }, 'invalid_parameter', 'parameters'],
    [{ parameters: [] }, 'invalid_parameter', 'parameters'],
    [{ metadata: 'label' }, 'invalid_parameter', 'metadata'],
    [{ runTimeoutS: 5 }, 'unknown_parameter', 'runTimeoutS'],
    [{ colour: 'red' }, 'unknown_parameter', 'colour'],
    [{ constructor: {} }, 'unknown_parameter', 'constructor'],
    [{ $typeName: 'x' }, 'unknown_parameter', '$typeName'],
  ]
  for (const [more, code, param] of table) {
    const answer = await server.request('POST', '/v1/tasks', { json: digit(1, more) })
    assert.equal(answer.status, 400, `${JSON.stringify(more)}: ${answer.text}`)
    assertProblem(answer, 400, code, param)
  }
})

test('labels are held to their limits', async () => {
  const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 'v']))
  for (const metadata of [
    pairs(17),
    { ['k'.repeat(65)]: 'v' },
    { k: 'v'.repeat(513) },
    { k: 1 },
    { k: null },
    { k: {} },
    { '': 'v' },
  ]) {
    const answer = await server.request('POST', '/v1/tasks', { json: digit(1, { metadata }) })
    const problem = assertProblem(answer, 400, 'invalid_parameter')
    assert.match(problem.param, /^metadata/)
  }
  const fits = { ...pairs(15), ['é'.repeat(64)]: 'é'.repeat(512) }
  assert.deepEqual((await create(server, digit(1, { metadata: fits }))).metadata, fits)
})

test('missing fields are all named at once, and so are faults of several kinds', async () => {
  const missing = assertProblem(await post('{}'), 400, 'missing_parameter')
  assert.deepEqual(missing.errors.map((fault: { param: string }) => fault.param).sort(), ['input', 'model', 'type'])
  const mixed = await server.request('POST', '/v1/tasks', {
    json: { type: 'inference', model: 'digits', run_timeout_s: 0, max_attempts: 99 },
  })
  assert.equal(mixed.status, 400)
  assert.deepEqual(mixed.body.errors.map((fault: { param: string }) => fault.param).sort(), [
    'input',
    'max_attempts',
    'run_timeout_s',
  ])
})

test('what stands against a task is named at once, whoever finds it', async () => {
  const json = digit(1, { type: 'training', input: ' ', parameters: { epochs: 0, provider: 'webgpu' } })
  const problem = assertProblem(await server.request('POST', '/v1/tasks', { json }), 400, 'model_input_invalid')
  assert.deepEqual(problem.errors.map((fault: { param: string }) => fault.param).sort(), [
    'input',
    'parameters.epochs',
    'parameters.provider',
  ])
  assertProblem(
    await server.request('POST', '/v1/tasks', { json: digit(1, { model: 'nope' }) }),
    400,
    'invalid_parameter',
    'model',
  )
})

test('an input that the model cannot read is refused before it is queued', async () => {
  const pixels = Array.from({ length: 64 }, () => 0)
  for (const input of [
    '',
    'seven',
    '[]',
    '{}',
    JSON.stringify(pixels.slice(1)),
    JSON.stringify([...pixels.slice(1), 99]),
    '[1e400]',
    '\0',
    '\ud83d',
  ]) {
    const answer = await server.request('POST', '/v1/tasks', { json: digit(1, { input }) })
    assert.equal(answer.status, 400, `${input}: ${answer.text}`)
    assert.match(answer.body.code, /^(model_input_invalid|missing_parameter|invalid_parameter)$/)
    assertProblem(answer, 400, answer.body.code)
  }
  const picture = { type: 'inference', model: 'pp-ocr-v4', input: 'not a data URI' }
  assertProblem(await server.request('POST', '/v1/tasks', { json: picture }), 400, 'model_input_invalid', 'input')
})

test('lone surrogates and NUL are refused wherever they hide', async () => {
  const whole = JSON.stringify(digit(1)).slice(0, -1)
  for (const field of [
    '"metadata":{"k":"\\ud800"}',
    '"metadata":{"\\udc00":"v"}',
    '"parameters":{"k":"\\ud800"}',
    '"metadata":{"k":"\\u0000"}',
    '"model":"\\ud800"',
  ]) {
    const answer = await post(`${whole},${field}}`)
    assert.equal(answer.status, 400, `${field}: ${answer.text}`)
    assert.match(answer.body.code, /^invalid_(json|parameter)$/)
  }
  await lives()
})

test('deep nesting is refused and breaks nothing', async () => {
  for (const depth of [1_000, 100_000]) {
    const whole = JSON.stringify(digit(1)).slice(0, -1)
    for (const nested of [
      '['.repeat(depth) + ']'.repeat(depth),
      `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
      '['.repeat(depth),
    ]) {
      const answer = await post(`${whole},"parameters":{"deep":${nested}}}`)
      assert.ok(answer.status === 400 || answer.status === 413, `${depth}: ${answer.status}`)
    }
  }
  await lives()
})

test('`__proto__` is a field like any other that is not known', async () => {
  const whole = JSON.stringify(digit(1)).slice(0, -1)
  assertProblem(await post(`${whole},"__proto__":{"model":"spin"}}`), 400, 'unknown_parameter', '__proto__')
  for (const field of ['"metadata":{"__proto__":"v"}', '"parameters":{"__proto__":{"polluted":true}}']) {
    const answer = await post(`${whole},${field}}`)
    assert.ok(answer.status === 400 || answer.status === 201, answer.text)
  }
  assert.ok(!('polluted' in (await create(server, digit(1)))))
  await lives()
})

test('huge numbers are refused', async () => {
  const whole = JSON.stringify(digit(1)).slice(0, -1)
  for (const number of [
    '1e400',
    '-1e400',
    '1e308',
    '99999999999999999999999999',
    '9007199254740993',
    '4294967296',
    '-0.0000001',
  ])
    assertProblem(await post(`${whole},"run_timeout_s":${number}}`), 400, 'invalid_parameter', 'run_timeout_s')
  assert.equal((await post(`${whole},"run_timeout_s":${'9'.repeat(300_000)}}`)).status, 400)
  await lives()
})

test('bodies and inputs over their limit are 413', async () => {
  assertProblem(await post(`{"input":"${'x'.repeat(10 * 2 ** 20)}"}`), 413, 'payload_too_large')
  assertProblem(await post(`{"input":"${'x'.repeat(2 ** 20)}"}`), 413, 'payload_too_large')
  assertProblem(await post(JSON.stringify(digit(1, { input: ' '.repeat(512 * 1024 + 1) }))), 413, 'payload_too_large')
  await lives()
})

test('another media type, or an encoding, is 415', async () => {
  const body = JSON.stringify(digit(1))
  for (const type of [
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'application/jsonx',
    'nonsense',
  ])
    assertProblem(await post(body, { 'content-type': type }), 415, 'unsupported_media_type')
  assertProblem(await post(body, {}), 415, 'unsupported_media_type')
  assertProblem(
    await post(body, { 'content-type': 'application/json', 'content-encoding': 'gzip' }),
    415,
    'unsupported_media_type',
  )
  for (const type of ['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/json;charset="UTF-8"'])
    assert.equal((await post(body, { 'content-type': type })).status, 201, type)
})
