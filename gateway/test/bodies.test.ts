import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problemIn } from './problem.ts'
import { start, validTask } from './start.ts'
import { openWire, requestText } from './wire.ts'

const text = JSON.stringify(validTask)

test('a body becomes the request, its fields by their names', async t => {
  const { post, services } = await start(t)
  const metadata = JSON.parse('{"a":"b","__proto__":"c"}')
  const response = await post({ ...validTask, priority: 'high', queue_timeout_s: 5, parameters: { k: [1] }, metadata })
  assert.equal(response.status, 201)
  assert.equal(response.headers.get('location'), '/v1/tasks/task_00000000000000000000000001')
  assert.equal(response.headers.get('content-type'), 'application/json')
  assert.equal(response.headers.get('cache-control'), 'no-store')
  assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
  const [created] = services.created
  assert.equal(created?.queueTimeoutS, 5)
  assert.deepEqual(created?.parameters, { k: [1] })
  assert.deepEqual(Object.entries(created?.metadata ?? {}), [
    ['a', 'b'],
    ['__proto__', 'c'],
  ])
  const task = (await response.json()) as Record<string, unknown>
  assert.equal(task.object, 'task')
  assert.equal(task.status, 'queued')
  assert.deepEqual(Object.entries(task.metadata as object), [
    ['a', 'b'],
    ['__proto__', 'c'],
  ])
})

test('only plain application/json is read', async t => {
  const { post } = await start(t)
  const parameters = [
    '; charset=utf-8',
    ';charset="UTF-8"',
    ';',
    '; charset=utf-8;',
    ';;charset=utf-8',
    ';odata=verbose; v=1',
  ]
  for (const type of ['Application/JSON', ...parameters.map(each => `application/json${each}`)]) {
    assert.equal((await post(text, { 'content-type': type })).status, 201, type)
  }
  for (const type of ['text/plain', 'application/jsonp', 'application', '', 'multipart/form-data']) {
    await problemIn(await post(text, { 'content-type': type }), 'unsupported_media_type')
  }
  await problemIn(await post(text, { 'content-encoding': 'gzip' }), 'unsupported_media_type')
  assert.equal((await post(text, { 'content-encoding': 'identity' })).status, 201)
})

for (const [name, body] of [
  ['nothing', ''],
  ['broken', '{"type":"inference",}'],
  ['cut short', text.slice(0, -5)],
  ['two values', `${text}${text}`],
  ['an array', '[1]'],
  ['a string', '"x"'],
  ['null', 'null'],
  ['NaN', '{"input":NaN}'],
  ['a raw control character', '{"input":"\n"}'],
] as const) {
  test(`a body that is ${name} is invalid_json`, async t => {
    const { post } = await start(t)
    await problemIn(await post(body), 'invalid_json')
  })
}

test('a byte order mark before JSON means nothing', async t => {
  const { post, services } = await start(t)
  assert.equal((await post(`\ufeff${text}`)).status, 201)
  assert.equal(services.created.length, 1)
  await problemIn(await post('\ufeff'), 'invalid_json')
})

for (const [name, bytes, says] of [
  ['UTF-16', Buffer.from(`\ufeff${text}`, 'utf16le'), /in UTF-16: save it as UTF-8/],
  ['UTF-16, the larger byte first', Buffer.from(`\ufeff${text}`, 'utf16le').swap16(), /in UTF-16/],
  ['UTF-16 without a mark', Buffer.from(text, 'utf16le'), /in UTF-16/],
  ['UTF-16 without a mark, the larger byte first', Buffer.from(text, 'utf16le').swap16(), /in UTF-16/],
  ['UTF-32', Buffer.from('\ufeff\0{\0}\0', 'utf16le'), /in UTF-32/],
  ['UTF-32 without a mark, the largest byte first', Buffer.from([0, 0, 0, 0x7b, 0, 0, 0, 0x7d]), /in UTF-32/],
  ['UTF-8 with two marks', Buffer.from(`\ufeff\ufeff${text}`), /byte order mark \(EF BB BF\)/],
  ['UTF-8 with a mark behind a blank', Buffer.from(` \ufeff${text}`), /byte order mark \(EF BB BF\)/],
] as const)
  test(`a body in ${name} is told so`, async t => {
    const { call } = await start(t)
    const headers = { 'content-type': 'application/json' }
    const response = await call('/v1/tasks', { method: 'POST', headers, body: bytes })
    assert.match((await problemIn(response, 'invalid_json')).detail, says)
  })

test('no encoding is said in more than one way', async t => {
  const { post } = await start(t)
  for (const encoding of ['', 'identity', 'Identity, identity'])
    assert.equal((await post(text, { 'content-encoding': encoding })).status, 201, encoding)
  await problemIn(await post(text, { 'content-encoding': 'identity, gzip' }), 'unsupported_media_type')
})

test('a value without a name in the query is told so', async t => {
  const { call } = await start(t)
  assert.match((await problemIn(await call('/v1/tasks?=5'), 'invalid_parameter')).detail, /a value without a name/)
})

test('the place of an error in the text is shown', async t => {
  const { post } = await start(t)
  const problem = await problemIn(await post('{"type": inference}'), 'invalid_json')
  assert.match(problem.detail, /"type": /)
})

test('bytes that are no UTF-8 are refused, not replaced', async t => {
  const { call } = await start(t)
  const body = Buffer.concat([Buffer.from('{"input":"'), Buffer.from([0xff, 0xc0, 0x80]), Buffer.from('"}')])
  const response = await call('/v1/tasks', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  assert.match((await problemIn(response, 'invalid_json')).detail, /UTF-8/)
})

test('every bad field is named at once', async t => {
  const { post } = await start(t)
  const body = '{"type":"nonsense","model":7,"input":"x","max_attempts":1e400,"taskType":"a"}'
  const problem = await problemIn(await post(body), 'invalid_parameter')
  assert.deepEqual(problem.errors?.map(({ param }) => param).sort(), ['max_attempts', 'model', 'taskType', 'type'])
})

test('what is missing and what is unknown have codes of their own', async t => {
  const { post } = await start(t)
  const missing = await problemIn(await post({ type: 'inference', input: 'x' }), 'missing_parameter')
  assert.equal(missing.param, 'model')
  const unknown = await problemIn(await post({ ...validTask, modelName: 'x' }), 'unknown_parameter')
  assert.equal(unknown.param, 'modelName')
  const proto = await problemIn(await post(`{"__proto__":{"type":"x"},${text.slice(1)}`), 'unknown_parameter')
  assert.equal(proto.param, '__proto__')
})

test('half of a surrogate pair and U+0000 are refused; escaped backslashes are not mistaken for them', async t => {
  const { post } = await start(t)
  await problemIn(await post('{"type":"inference","model":"m","input":"\\ud800"}'), 'invalid_parameter')
  const nul = await problemIn(await post('{"type":"inference","model":"m","input":"a\\u0000b"}'), 'invalid_parameter')
  assert.equal(nul.param, 'input')
  await problemIn(
    await post('{"type":"inference","model":"m","input":"x","metadata":{"\\u0000":"a"}}'),
    'invalid_parameter',
  )
  assert.equal((await post('{"type":"inference","model":"m","input":"a\\\\u0000b \\ud83d\\ude00"}')).status, 201)
})

for (const [json, value] of [
  ['a number', '1'],
  ['null', 'null'],
  ['an object', '{}'],
  ['half of a surrogate pair', '"\\ud800"'],
  ['U+0000', '"\\u0000"'],
] as const) {
  test(`a label that is ${json} is named, together with what is wrong elsewhere`, async t => {
    const { post } = await start(t)
    const body = `{"metadata":{"good":"v","k":${value}},"max_attempts":11,${text.slice(1)}`
    const problem = await problemIn(await post(body), 'invalid_parameter')
    assert.deepEqual(
      problem.errors?.map(({ param }) => param),
      ['metadata.k', 'max_attempts'],
    )
  })
}

test('what could not be read is not said to be missing as well', async t => {
  const { post } = await start(t)
  const problem = await problemIn(await post('{"type":"x","model":"","input":5}'), 'invalid_parameter')
  assert.deepEqual(
    problem.errors?.map(({ param, code }) => [param, code]),
    [
      ['type', 'not_in'],
      ['input', 'wrong_type'],
      ['model', 'missing_parameter'],
    ],
  )
})

test('deep nesting is refused and does no harm', async t => {
  const { post } = await start(t)
  const deep = '['.repeat(400_000) + ']'.repeat(400_000)
  await problemIn(await post(`{"parameters":{"a":${deep}},${text.slice(1)}`), 'invalid_parameter')
  await problemIn(await post(`{"x":${deep.replace('[]', '["\\u0000"]')},${text.slice(1)}`), 'invalid_parameter')
  const short = '['.repeat(4_000) + ']'.repeat(4_000)
  await problemIn(await post(`{"x":${short.replace('[]', '["\\u0000"]')},${text.slice(1)}`), 'unknown_parameter')
  await problemIn(await post('['.repeat(1_000_000)), 'invalid_json')
  assert.equal((await post(validTask)).status, 201)
})

test('a body may be 1 MiB and not a byte more', async t => {
  const { post } = await start(t)
  const ofSize = (size: number) => text.replace('"x"', `"${'x'.repeat(size - text.length + 1)}"`)
  assert.equal((await post(ofSize(1_048_576))).status, 201)
  await problemIn(await post(ofSize(1_048_577)), 'payload_too_large')
})

test('a body that is announced too large is refused before it is sent, and the connection ends', async t => {
  const { port, key } = await start(t)
  const wire = await openWire(port)
  const headers = [`Authorization: Bearer ${key}`, 'Content-Type: application/json', 'Content-Length: 10485760']
  wire.send(requestText('POST /v1/tasks', headers, '{"input":"'))
  const answer = await wire.until('payload_too_large')
  assert.match(answer, /^HTTP\/1\.1 413 /)
  assert.match(answer, /\r\nConnection: close\r\n/)
  wire.socket.end()
  await wire.rest()
})

test('a body of 10 MiB is refused, and a sender that reads only after it has sent reads the answer', async t => {
  const { port, key } = await start(t)
  const wire = await openWire(port)
  wire.socket.pause()
  const headers = [`Authorization: Bearer ${key}`, 'Content-Type: application/json', 'Content-Length: 10485760']
  wire.send(requestText('POST /v1/tasks', headers))
  for (let n = 0; n < 160; n++) {
    await new Promise<void>((resolve, reject) =>
      wire.socket.write(Buffer.alloc(65_536, 'x'), error => (error ? reject(error) : resolve())),
    )
  }
  wire.socket.resume()
  assert.match(await wire.rest(), /^HTTP\/1\.1 413 [\s\S]*payload_too_large/)
})

test('a chunked body without end is refused at 1 MiB', async t => {
  const { port, key } = await start(t)
  const wire = await openWire(port)
  const headers = [`Authorization: Bearer ${key}`, 'Content-Type: application/json', 'Transfer-Encoding: chunked']
  wire.send(requestText('POST /v1/tasks', headers))
  const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
  for (let n = 0; n < 17; n++) wire.send(chunk)
  assert.match(await wire.until('payload_too_large'), /^HTTP\/1\.1 413 /)
  wire.socket.destroy()
})

test('a caller that leaves in the middle of its body costs nothing', async t => {
  const { port, key, services, post, lines } = await start(t)
  const wire = await openWire(port)
  const headers = [`Authorization: Bearer ${key}`, 'Content-Type: application/json', 'Content-Length: 100']
  wire.send(requestText('POST /v1/tasks', headers, '{"type"'))
  await post(validTask)
  wire.socket.destroy()
  await wire.rest()
  assert.equal((await post(validTask)).status, 201)
  assert.equal(services.created.length, 2)
  assert.ok(lines.every(({ level }) => level === 'debug'))
})

test('a caller that leaves while its key is looked up is not waited for', async t => {
  const { url, port, services, lines } = await start(t)
  const gate = Promise.withResolvers<void>()
  services.keys.gate = gate.promise
  const wire = await openWire(port)
  const headers = [`Authorization: Bearer ${services.key(['*'])}`, 'Content-Type: application/json']
  wire.send(requestText('POST /v1/tasks', [...headers, 'Content-Length: 100'], '{"type"'))
  while (services.keys.authentications === 0) await new Promise(resolve => setImmediate(resolve))
  wire.socket.destroy()
  await wire.rest()
  // The server hears of it in a later turn, and the request's own events come some turns after that.
  for (let n = 0; n < 3; n++) await fetch(`${url}/healthz`)
  gate.resolve()
  const isOver = () => lines.some(({ fields }) => fields.path === '/v1/tasks')
  while (!isOver()) await new Promise(resolve => setImmediate(resolve))
  assert.deepEqual(services.created, [])
})

test('a body on GET and DELETE is ignored', async t => {
  const { port, key, post } = await start(t)
  await post(validTask)
  const wire = await openWire(port)
  const headers = [`Authorization: Bearer ${key}`, 'Content-Length: 5']
  wire.send(requestText('GET /v1/tasks', headers, 'hello') + requestText('DELETE /v1/tasks/x', headers, 'hello'))
  assert.match(await wire.until('not_found'), /^HTTP\/1\.1 200 [\s\S]*HTTP\/1\.1 404 /)
  wire.socket.destroy()
})

test('`Expect: 100-continue` is granted only where the body will be read', async t => {
  const { port, key } = await start(t)
  const headers = ['Content-Type: application/json', `Content-Length: ${text.length}`, 'Expect: 100-continue']
  const granted = await openWire(port)
  granted.send(requestText('POST /v1/tasks', [`Authorization: Bearer ${key}`, ...headers]))
  await granted.until('HTTP/1.1 100 Continue\r\n\r\n')
  granted.send(text)
  assert.match(await granted.until('"object":"task"'), /HTTP\/1\.1 201 Created/)
  granted.socket.destroy()
  const refused = await openWire(port)
  refused.send(requestText('POST /v1/tasks', headers))
  assert.match(await refused.until('missing_credentials'), /^HTTP\/1\.1 401 /)
  refused.socket.destroy()
})
