import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { problemIn } from './problem.ts'
import { start } from './start.ts'
import { openWire, requestText } from './wire.ts'

const turn = () => new Promise(resolve => setImmediate(resolve))
async function until(isSo: () => boolean) {
  while (!isSo()) await turn()
}

/** A gateway, a file behind it, and calls for its content. */
async function startWith(
  t: Parameters<typeof start>[0],
  bytes: Buffer | string,
  more: Parameters<typeof start>[1] = {},
) {
  const started = await start(t, more)
  const { services, call, key } = started
  const file = services.files.put(bytes, { filename: 'a.txt', mediaType: 'text/plain' })
  const path = `/v1/files/${file.id}/content`
  const get = (headers: Record<string, string> = {}, method = 'GET') => call(path, { headers, method })
  /** The same on a bare socket. */
  const request = (...headers: string[]) => requestText(`GET ${path}`, [`Authorization: Bearer ${key}`, ...headers])
  return { ...started, file, path, get, request, tag: `"${file.sha256}"` }
}

test('a content comes whole, to be saved and not to be shown', async t => {
  const { get, tag, file } = await startWith(t, '<script>')
  const response = await get()
  assert.equal(response.status, 200)
  assert.equal(await response.text(), '<script>')
  const digest = createHash('sha256').update('<script>').digest('base64')
  for (const [name, value] of [
    ['content-type', 'text/plain'],
    ['content-length', '8'],
    ['content-disposition', 'attachment; filename="a.txt"'],
    ['x-content-type-options', 'nosniff'],
    ['content-security-policy', "default-src 'none'; sandbox"],
    ['cache-control', 'private, no-cache'],
    ['accept-ranges', 'bytes'],
    ['etag', tag],
    ['repr-digest', `sha-256=:${digest}:`],
    ['content-range', null],
  ] as const) {
    assert.equal(response.headers.get(name), value, name)
  }
  assert.match(response.headers.get('x-request-id') ?? '', /^req_/)
  assert.equal(tag, `"${file.sha256}"`)
})

test('an empty content is one', async t => {
  const { get } = await startWith(t, '')
  const response = await get()
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-length'), '0')
  assert.equal(await response.text(), '')
  const end = await get({ range: 'bytes=-5' })
  assert.deepEqual([end.status, end.headers.get('content-range'), await end.text()], [200, null, ''])
  const problem = await get({ range: 'bytes=0-' })
  assert.equal(problem.headers.get('content-range'), 'bytes */0')
  await problemIn(problem, 'range_not_satisfiable')
})

for (const [range, contentRange, text] of [
  ['bytes=0-0', 'bytes 0-0/10', '0'],
  ['bytes=3-5', 'bytes 3-5/10', '345'],
  ['bytes=8-', 'bytes 8-9/10', '89'],
  ['bytes=8-99', 'bytes 8-9/10', '89'],
  ['bytes=0-', 'bytes 0-9/10', '0123456789'],
  ['bytes=-3', 'bytes 7-9/10', '789'],
  ['bytes=-99', 'bytes 0-9/10', '0123456789'],
] as const) {
  test(`${range} of ten bytes is ${contentRange}`, async t => {
    const { get, tag } = await startWith(t, '0123456789')
    const response = await get({ range })
    assert.equal(response.status, 206)
    assert.equal(response.headers.get('content-range'), contentRange)
    assert.equal(response.headers.get('content-length'), String(text.length))
    assert.equal(response.headers.get('etag'), tag)
    assert.equal(await response.text(), text)
  })
}

for (const range of ['bytes=0-1,3-4', 'bytes=5-4', 'bytes=x', 'lines=1-2']) {
  test(`${range} is no range that is honoured: the content comes whole`, async t => {
    const { get } = await startWith(t, '0123456789')
    const response = await get({ range })
    assert.equal(response.status, 200)
    assert.equal(await response.text(), '0123456789')
  })
}

for (const range of ['bytes=10-', 'bytes=10-12', 'bytes=-0', 'bytes=99999999999999999999-']) {
  test(`${range} of ten bytes can't be satisfied`, async t => {
    const { get, services } = await startWith(t, '0123456789')
    const response = await get({ range })
    assert.equal(response.headers.get('content-range'), 'bytes */10')
    await problemIn(response, 'range_not_satisfiable')
    assert.equal(services.files.sent, 0)
    assert.equal(services.files.closed, 2)
  })
}

test('If-Range gives the range of what the caller has a part of, and the whole of anything else', async t => {
  const { get, tag } = await startWith(t, '0123456789')
  const range = 'bytes=5-'
  assert.equal((await get({ range, 'if-range': tag })).status, 206)
  for (const other of ['"other"', `W/${tag}`, 'Sat, 21 Nov 2026 07:30:00 GMT']) {
    const response = await get({ range, 'if-range': other })
    assert.equal(response.status, 200, other)
    assert.equal(await response.text(), '0123456789')
  }
  await problemIn(await get({ range: 'bytes=10-', 'if-range': tag }), 'range_not_satisfiable')
  assert.equal((await get({ range: 'bytes=10-', 'if-range': '"other"' })).status, 200)
})

test('If-Match gives the content that it names and no other', async t => {
  const { get, tag, services } = await startWith(t, '0123456789')
  for (const named of [tag, '*', `"other", ${tag}`, ''])
    assert.equal((await get({ 'if-match': named, range: 'bytes=5-' })).status, 206, named)
  const { sent } = services.files
  for (const headers of [{}, { range: 'bytes=5-' }, { range: 'bytes=10-' }, { 'if-none-match': tag }])
    for (const named of ['"other"', `W/${tag}`, tag.slice(1, -1)])
      await problemIn(await get({ ...headers, 'if-match': named }), 'precondition_failed')
  assert.equal(services.files.sent, sent)
})

test('who has the content is told so, before anything is said of a range', async t => {
  const { get, tag, services } = await startWith(t, '0123456789')
  for (const headers of [
    { 'if-none-match': tag },
    { 'if-none-match': `"other", W/${tag}` },
    { 'if-none-match': '*' },
    { 'if-none-match': tag, range: 'bytes=3-5' },
    { 'if-none-match': tag, range: 'bytes=10-' },
  ]) {
    const response = await get(headers)
    assert.equal(response.status, 304, JSON.stringify(headers))
    assert.equal(response.headers.get('etag'), tag)
    assert.equal(await response.text(), '')
  }
  assert.equal((await get({ 'if-none-match': '"other"' })).status, 200)
  assert.equal(services.files.sent, 10)
})

test('HEAD tells of the whole content and reads none of it', async t => {
  const { get, services } = await startWith(t, '0123456789')
  const response = await get({ range: 'bytes=3-5' }, 'HEAD')
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-length'), '10')
  assert.equal(response.headers.get('accept-ranges'), 'bytes')
  assert.equal(services.files.sent, 0)
  assert.equal(services.files.closed, 1)
})

test('what is not there, not allowed or not known is a problem', async t => {
  const { call, path, services } = await startWith(t, 'x')
  await problemIn(await call('/v1/files/file_none/content'), 'not_found')
  const writeOnly = { authorization: `Bearer ${services.key(['files:write'])}` }
  await problemIn(await call(path, { headers: writeOnly }), 'insufficient_scope')
  for (const field of ['start', 'end', 'suffix', 'x']) {
    assert.equal((await problemIn(await call(`${path}?${field}=1`), 'unknown_parameter')).param, field)
  }
  await problemIn(await call(path, { method: 'POST' }), 'method_not_allowed')
})

test('a reader that does not read stops the service; what it takes later is whole', async t => {
  const bytes = Buffer.alloc(32 * 1024 * 1024, 'x')
  const { port, request, services } = await startWith(t, bytes)
  const wire = await openWire(port)
  wire.socket.pause()
  wire.send(request('Connection: close'))
  let before = -1
  while (services.files.sent === 0 || services.files.sent !== before) {
    before = services.files.sent
    for (let n = 0; n < 500; n++) await turn()
  }
  assert.ok(services.files.sent < bytes.length, 'all of it was read')
  wire.socket.resume()
  const answer = await wire.rest()
  assert.equal(answer.length - answer.indexOf('\r\n\r\n') - 4, bytes.length)
})

test('a reader that takes nothing is cut', async t => {
  const { port, request, services, lines } = await startWith(t, Buffer.alloc(32 * 1024 * 1024), {
    limits: { readerMs: 50 },
  })
  const wire = await openWire(port)
  wire.socket.pause()
  wire.send(request())
  await until(() => services.files.closed === 1)
  wire.socket.resume()
  assert.ok((await wire.rest()).length < 32 * 1024 * 1024)
  assert.ok(lines.every(({ level }) => level === 'debug'))
})

test('a reader that leaves ends the call, also while the service has nothing to send', async t => {
  const { port, request, services } = await startWith(t, Buffer.alloc(1_000_000))
  services.files.gate = new Promise(() => {})
  const wire = await openWire(port)
  wire.send(request())
  await wire.until('\r\n\r\n')
  wire.socket.destroy()
  await until(() => services.files.closed === 1)
})

test('a content that breaks in the middle is cut, never ended as if it were whole', async t => {
  const { port, get, request, services, lines } = await startWith(t, Buffer.alloc(1_000_000, 'x'))
  services.files.breakAfter = 500_000
  const wire = await openWire(port)
  wire.send(request())
  const answer = await wire.rest()
  assert.match(answer, /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\nContent-Length: 1000000\r\n/)
  assert.ok(answer.length < 1_000_000)
  await assert.rejects((await get()).arrayBuffer())
  const broken = lines.filter(({ event }) => event === 'answer.broken')
  assert.equal(broken.length, 2)
  assert.equal(services.files.closed, 2)
})

test('two requests of one connection are answered one after the other', async t => {
  const { port, request } = await startWith(t, '0123456789')
  const wire = await openWire(port)
  wire.send(request('Range: bytes=0-2') + request() + request('Range: bytes=3-', 'Connection: close'))
  const bodies = (await wire.rest())
    .split('HTTP/1.1 ')
    .slice(1)
    .map(answer => answer.split('\r\n\r\n')[1])
  assert.deepEqual(bodies, ['012', '0123456789', '3456789'])
})

test('a caller that sends its last byte (FIN) reads its download to the end', async t => {
  const bytes = Buffer.alloc(4 * 1024 * 1024, 'x')
  const { port, request } = await startWith(t, bytes)
  const wire = await openWire(port)
  wire.socket.end(request())
  const answer = await wire.rest()
  assert.equal(answer.length - answer.indexOf('\r\n\r\n') - 4, bytes.length)
})

test('a download that is on when the server stops comes whole, and then its connection ends', async t => {
  const bytes = Buffer.alloc(16 * 1024 * 1024, 'x')
  // So long that nothing but the end of the download can end the connection.
  const { gateway, port, request, services } = await startWith(t, bytes, { limits: { stopMs: 600_000 } })
  const wire = await openWire(port)
  wire.socket.pause()
  wire.send(request())
  await until(() => services.files.sent > 0)
  const closed = gateway.close()
  wire.socket.resume()
  const answer = await wire.rest()
  assert.equal(answer.length - answer.indexOf('\r\n\r\n') - 4, bytes.length)
  await closed
})

test('a page of another origin may read what a download tells', async t => {
  const { get, call, path } = await startWith(t, 'x')
  const response = await get({ origin: 'https://app.example' })
  assert.match(response.headers.get('access-control-expose-headers') ?? '', /Content-Disposition, Content-Range/)
  const headers = { origin: 'https://app.example', 'access-control-request-method': 'GET' }
  const preflight = await call(path, { method: 'OPTIONS', headers })
  assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /If-Range, Last-Event-ID, Prefer, Range/)
})
