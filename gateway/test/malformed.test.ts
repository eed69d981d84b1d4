import assert from 'node:assert/strict'
import { test } from 'node:test'
import { start, validTask } from './start.ts'
import { openWire, requestText } from './wire.ts'

/** What every answer has, for a page that is opened or left by it. */
const isolated = /\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Opener-Policy: same-origin\r\n/

for (const [name, bytes] of [
  ['is no HTTP', 'hello\r\n\r\n'],
  ['has an unknown method', 'BREW /v1/tasks HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['has another version', 'GET / HTTP/9.9\r\nHost: a\r\n\r\n'],
  ['has a bad header', 'GET / HTTP/1.1\r\nHost: a\r\nbad header\r\n\r\n'],
  ['has two lengths', 'POST /v1/tasks HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx'],
  [
    'has a length and chunks',
    'POST /v1/tasks HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
] as const) {
  test(`what ${name} is 400 as a problem, and the connection ends`, async t => {
    const { port } = await start(t)
    const wire = await openWire(port)
    wire.send(bytes)
    const [head = '', body = ''] = (await wire.rest()).split('\r\n\r\n')
    assert.match(head, /^HTTP\/1\.1 400 Bad Request\r\nContent-Type: application\/problem\+json\r\n/)
    assert.match(head, /\r\nConnection: close(\r\n|$)/)
    assert.match(head, isolated)
    const problem = JSON.parse(body) as Record<string, unknown>
    assert.equal(problem.status, 400)
    assert.ok(head.includes(`X-Request-Id: ${problem.request_id}`))
  })
}

test('a chunk that is none is 400 in the middle of a body', async t => {
  const { port, key, services } = await start(t)
  const wire = await openWire(port)
  const headers = [`Authorization: Bearer ${key}`, 'Content-Type: application/json', 'Transfer-Encoding: chunked']
  wire.send(requestText('POST /v1/tasks', headers, 'zz\r\n'))
  assert.match(await wire.rest(), /^HTTP\/1\.1 400 Bad Request\r\n/)
  assert.equal(services.created.length, 0)
})

test('a head that is too large is 431', async t => {
  const { port } = await start(t)
  for (const text of [
    requestText(`GET /${'a'.repeat(20_000)}`),
    requestText('GET /', [`X-Large: ${'a'.repeat(20_000)}`]),
  ]) {
    const wire = await openWire(port)
    wire.send(text)
    const answer = await wire.rest()
    assert.match(answer, /^HTTP\/1\.1 431 Request Header Fields Too Large\r\n[\s\S]*"status":431/)
    assert.match(answer, isolated)
  }
})

test('HTTP/1.1 needs a Host, HTTP/1.0 does not', async t => {
  const { port } = await start(t)
  const without = await openWire(port)
  without.send('GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n')
  assert.match(await without.rest(), /^HTTP\/1\.1 400 [\s\S]*`Host`/)
  const old = await openWire(port)
  old.send('GET /healthz HTTP/1.0\r\n\r\n')
  assert.match(await old.rest(), /^HTTP\/1\.1 200 /)
})

test('what says who calls, or what is sent again, comes once', async t => {
  const { port, key, services } = await start(t)
  const body = JSON.stringify(validTask)
  const headers = [
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Idempotency-Key: one',
    'Connection: close',
  ]
  for (const [line, code] of [
    ['AUTHORIZATION: Bearer x', 'invalid_parameter'],
    ['idempotency-key: two', 'invalid_idempotency_key'],
  ] as const) {
    const wire = await openWire(port)
    wire.send(requestText('POST /v1/tasks', [...headers, line], body))
    assert.match(await wire.rest(), new RegExp(`^HTTP/1\\.1 400 [^]*"code":"${code}"`))
  }
  assert.equal(services.created.length, 0)
})

test('a transfer coding that is not decoded is refused once, whatever comes behind it', async t => {
  const { port } = await start(t)
  for (const method of ['GET', 'POST']) {
    const wire = await openWire(port)
    wire.send(requestText(`${method} /v1/tasks`, ['Transfer-Encoding: xchunked'], '5\r\nhello\r\n0\r\n\r\n'))
    assert.deepEqual((await wire.rest()).match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 400'])
  }
})

test('a request has one Host, and it is one', async t => {
  const { port } = await start(t)
  const head = (...lines: string[]) => `GET /healthz HTTP/1.1\r\n${lines.map(line => `${line}\r\n`).join('')}\r\n`
  const wire = await openWire(port)
  const taken = ['', 'a', 'a.example:8080', '127.0.0.1:', '[::1]:80', '[fe80::1]', 'a_b~!$&()*+,;=%20']
  for (const host of taken) wire.send(head(`Host: ${host}`))
  const refused = ['a b/c@d', 'a@b', 'a/b', 'a:b', 'a:80:80', '[::1', '::1', 'a%2', '[]', 'a?b', '"a"', 'h\xe9']
  for (const host of refused) wire.send(Buffer.from(head(`Host: ${host}`), 'latin1'))
  wire.send(head('Host: a', 'Host: a'))
  wire.send(head('Host: a', 'X: y', 'hOST: b'))
  wire.send(head('Host: a', 'Connection: close'))
  const answers = (await wire.rest()).split('HTTP/1.1 ').slice(1)
  assert.deepEqual(
    answers.map(answer => answer.slice(0, 3)),
    [...taken.map(() => '200'), ...refused.map(() => '400'), '400', '400', '200'],
  )
  assert.match(answers[taken.length] ?? '', /application\/problem\+json[\s\S]*"code":"invalid_parameter"[\s\S]*`Host`/)
})

test('a transfer coding other than chunked is refused, and its body not read as if it were none', async t => {
  const { port, key, services } = await start(t)
  const body = JSON.stringify(validTask)
  const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
  const headers = [`Authorization: Bearer ${key}`, 'Content-Type: application/json']
  for (const [coding, says] of [
    ['gzip, chunked', /^HTTP\/1\.1 400 [\s\S]*"code":"invalid_parameter"[\s\S]*`Transfer-Encoding`/],
    ['chunked, chunked', /^HTTP\/1\.1 400 [\s\S]*problem\+json/],
    ['Chunked', /^HTTP\/1\.1 201 /],
  ] as const) {
    const wire = await openWire(port)
    wire.send(requestText('POST /v1/tasks', [...headers, `Transfer-Encoding: ${coding}`, 'Connection: close'], chunks))
    assert.match(await wire.rest(), says)
  }
  assert.equal(services.created.length, 1)
})

test('HTTP/1.0 with `Transfer-Encoding` is 400, nothing of its body is taken for a request, and the connection closes', async t => {
  const { port, key, services } = await start(t)
  const body = JSON.stringify(validTask)
  const inner = requestText('GET /healthz')
  for (const chunks of [`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`, inner]) {
    const wire = await openWire(port)
    const headers = [
      'Host: a',
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      'Connection: keep-alive',
    ]
    wire.send(
      `POST /v1/tasks HTTP/1.0\r\n${headers.join('\r\n')}\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}${inner}`,
    )
    const answers = (await wire.rest()).split('HTTP/1.1 ').slice(1)
    assert.equal(answers.length, 1)
    assert.match(answers[0] ?? '', /^400 [\s\S]*\r\nConnection: close\r\n[\s\S]*HTTP\/1\.0/)
  }
  assert.equal(services.created.length, 0)
})

test('what came whole before bytes that are no request is answered, at once, and then they are', async t => {
  const { port, key, services } = await start(t)
  const body = JSON.stringify(validTask)
  const headers = [`Authorization: Bearer ${key}`, 'Content-Type: application/json', `Content-Length: ${body.length}`]
  const waiting = requestText('POST /v1/tasks', [...headers, 'Prefer: wait=60'], body)
  const quick = requestText('GET /healthz')
  const junk = 'no request\r\n\r\n'
  for (const [sent, statuses] of [
    [waiting + requestText('GET /v1/tasks/none', headers.slice(0, 1)) + junk, ['201', '404', '400']],
    [waiting + quick + quick + quick + junk + junk, ['201', '200', '200', '200', '400']],
    [quick + junk, ['200', '400']],
    [
      waiting + requestText('POST /v1/tasks', [...headers.slice(0, 2), 'Transfer-Encoding: chunked'], 'zz\r\n'),
      ['201', '400'],
    ],
  ] as const) {
    const wire = await openWire(port)
    wire.send(sent)
    const answers = (await wire.rest()).split('HTTP/1.1 ').slice(1)
    assert.deepEqual(
      answers.map(answer => answer.slice(0, 3)),
      statuses,
    )
    assert.match(answers.at(-1) ?? '', /\r\nConnection: close\r\n/)
  }
  assert.equal(services.openWaits, 0)
})

test('requests sent at once on one connection are answered in order', async t => {
  const { port, key } = await start(t)
  const wire = await openWire(port)
  const body = JSON.stringify(validTask)
  const headers = [`Authorization: Bearer ${key}`, 'Content-Type: application/json', `Content-Length: ${body.length}`]
  const post = requestText('POST /v1/tasks', headers, body)
  wire.send(post + post + requestText('GET /healthz', ['Connection: close']))
  const answers = (await wire.rest()).split('HTTP/1.1 ').slice(1)
  assert.deepEqual(
    answers.map(answer => answer.slice(0, 3)),
    ['201', '201', '200'],
  )
  assert.match(answers[0] ?? '', /task_0{25}1/)
  assert.match(answers[1] ?? '', /task_0{25}2/)
})

test('a request that comes byte by byte is served', async t => {
  const { port, key } = await start(t)
  const wire = await openWire(port)
  wire.socket.setNoDelay()
  const body = JSON.stringify(validTask)
  const headers = [`Authorization: Bearer ${key}`, 'Content-Type: application/json', `Content-Length: ${body.length}`]
  for (const char of requestText('POST /v1/tasks', headers, body)) {
    wire.send(char)
    await new Promise(resolve => setImmediate(resolve))
  }
  assert.match(await wire.until('"object":"task"'), /^HTTP\/1\.1 201 /)
  wire.socket.destroy()
})

test('a head and a body that do not come to an end are 408, and others are served meanwhile', async t => {
  const { port, key, post } = await start(t, { limits: { headersMs: 100, requestMs: 200, checkMs: 20 } })
  const head = await openWire(port)
  head.send('POST /v1/tasks HTTP/1.1\r\nHost: a\r\n')
  const body = await openWire(port)
  const headers = [`Authorization: Bearer ${key}`, 'Content-Type: application/json', 'Content-Length: 100']
  body.send(requestText('POST /v1/tasks', headers, '{"type"'))
  assert.equal((await post(validTask)).status, 201)
  for (const slow of [head, body]) {
    const [top = '', text = ''] = (await slow.rest()).split('\r\n\r\n')
    assert.match(top, /^HTTP\/1\.1 408 Request Timeout\r\nContent-Type: application\/problem\+json\r\n/)
    assert.match(top, /\r\nConnection: close(\r\n|$)/)
    assert.match(top, isolated)
    const problem = JSON.parse(text) as Record<string, unknown>
    assert.deepEqual([problem.type, problem.status], ['about:blank', 408])
    assert.ok(top.includes(`X-Request-Id: ${problem.request_id}`))
  }
})
