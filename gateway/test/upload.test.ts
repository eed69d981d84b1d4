import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { FilePurpose } from '@millhand/api/gen/millhand/compute/v1/file_pb.ts'
import { problemIn } from './problem.ts'
import { start } from './start.ts'
import { openWire, requestText, type Wire } from './wire.ts'

const turn = () => new Promise(resolve => setImmediate(resolve))
async function until(isSo: () => boolean) {
  while (!isSo()) await turn()
}
const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')

/** The head of an upload, up to its empty line. */
const head = (key: string, ...headers: string[]) =>
  requestText('POST /v1/files', [`Authorization: Bearer ${key}`, 'Content-Type: text/plain', ...headers])

test('a raw body is the file, and the query says what it is', async t => {
  const { call, services } = await start(t)
  const query = 'filename=r%C3%A9sum%C3%A9.txt&purpose=dataset&expires_after_s=60&metadata[a]=b&metadata[__proto__]=c'
  const response = await call(`/v1/files?${query}`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: 'hello',
  })
  assert.equal(response.status, 201)
  assert.equal(response.headers.get('location'), '/v1/files/file_00000000000000000000000001')
  assert.equal(response.headers.get('content-type'), 'application/json')
  const file = (await response.json()) as Record<string, unknown>
  assert.equal(file.object, 'file')
  assert.equal(file.filename, 'résumé.txt')
  assert.equal(file.media_type, 'text/plain; charset=utf-8')
  assert.equal(file.purpose, 'dataset')
  assert.equal(file.sha256, sha256('hello'))
  assert.deepEqual(Object.entries(file.metadata as object), [
    ['a', 'b'],
    ['__proto__', 'c'],
  ])
  const [stored] = services.files.stored.values()
  assert.equal(stored?.bytes.toString(), 'hello')
  assert.equal(stored?.file.purpose, FilePurpose.DATASET)
})

test('a media type in the query counts before the header; without either there is none', async t => {
  const { call, port, key, services } = await start(t)
  await call('/v1/files?media_type=a/b', { method: 'POST', headers: { 'content-type': 'c/d' }, body: '' })
  const wire = await openWire(port)
  wire.send(requestText('POST /v1/files', [`Authorization: Bearer ${key}`, 'Content-Length: 0']))
  await wire.until('201 Created')
  assert.deepEqual(
    [...services.files.stored.values()].map(({ file }) => file.mediaType),
    ['a/b', 'application/octet-stream'],
  )
  wire.socket.destroy()
})

test('what is wrong with the description is told at once, with every fault, and nothing is sent on', async t => {
  const { call, services } = await start(t)
  const post = (query: string) => call(`/v1/files?${query}`, { method: 'POST', body: 'x' })
  const problem = await problemIn(await post('purpose=output&expires_after_s=1&filename='), 'invalid_parameter')
  assert.deepEqual(problem.errors?.map(({ param }) => param).sort(), ['expires_after_s', 'filename', 'purpose'])
  assert.equal((await problemIn(await post('name=x'), 'unknown_parameter')).param, 'name')
  assert.equal(
    (await problemIn(await post('filename=a&filename=b'), 'invalid_parameter')).errors?.[0]?.code,
    'repeated',
  )
  assert.equal((await problemIn(await post('filename=a%00b'), 'invalid_parameter')).param, 'filename')
  assert.equal((await problemIn(await post('metadata=x'), 'invalid_parameter')).param, 'metadata')
  assert.equal((await problemIn(await post(`filename=${'x'.repeat(256)}`), 'invalid_parameter')).param, 'filename')
  assert.equal(services.files.begun, 0)
})

test('what is refused is not offered, and an empty label is named as it was sent', async t => {
  const { call } = await start(t)
  for (const purpose of ['output', 'other']) {
    const problem = await problemIn(await call(`/v1/files?purpose=${purpose}`, { method: 'POST' }), 'invalid_parameter')
    assert.equal(problem.errors?.[0]?.message, '`purpose` must be one of input, model, dataset.')
  }
  const problem = await problemIn(await call('/v1/files?metadata[]=x', { method: 'POST' }), 'invalid_parameter')
  assert.equal(problem.errors?.[0]?.message, 'The key in `metadata[]` must not be empty.')
})

test('an upload over HTTP/1.0 says its length', async t => {
  const { port, key, services } = await start(t)
  const old = (...headers: string[]) => head(key, ...headers).replace('HTTP/1.1', 'HTTP/1.0')
  for (const headers of [[], ['Transfer-Encoding: chunked']]) {
    const wire = await openWire(port)
    wire.send(`${old(...headers)}hello`)
    assert.match(await wire.rest(), /^HTTP\/1\.1 400 /)
  }
  assert.equal(services.files.begun, 0)
  const wire = await openWire(port)
  wire.send(`${old('Content-Length: 5')}hello`)
  assert.match(await wire.rest(), /^HTTP\/1\.1 201 /)
})

test('no expectation but `100-continue` is answered', async t => {
  const { port, key, services } = await start(t)
  for (const [expectation, isAnswered] of [
    ['200-ok', false],
    ['x100-continue', false],
    ['200-ok, 100-continue-not', false],
    ['100-Continue', true],
  ] as const) {
    const begun = services.files.begun
    const wire = await openWire(port)
    wire.send(head(key, 'Content-Length: 5', `Expect: ${expectation}`))
    await until(() => services.files.begun > begun)
    if (isAnswered) await wire.until('100 Continue')
    wire.send('hello')
    assert.equal((await wire.until('"object":"file"')).startsWith('HTTP/1.1 100 Continue'), isAnswered, expectation)
    wire.socket.destroy()
  }
})

test('the body is not read before it is known who sends it, nor one that is encoded', async t => {
  const { call, key, port, services } = await start(t)
  await problemIn(
    await call('/v1/files', { method: 'POST', headers: { authorization: '' }, body: 'x' }),
    'invalid_credentials',
  )
  const readOnly = { authorization: `Bearer ${services.key(['files:read'])}` }
  await problemIn(await call('/v1/files', { method: 'POST', headers: readOnly, body: 'x' }), 'insufficient_scope')
  const zipped = { 'content-encoding': 'gzip' }
  await problemIn(await call('/v1/files', { method: 'POST', headers: zipped, body: 'x' }), 'unsupported_media_type')
  const wire = await openWire(port)
  wire.send(head('mh_live_x', 'Content-Length: 5', 'Expect: 100-continue'))
  assert.match(await wire.until('invalid_credentials'), /^HTTP\/1\.1 401 /)
  wire.socket.destroy()
  const granted = await openWire(port)
  granted.send(head(key, 'Content-Length: 5', 'Expect: 100-continue'))
  await granted.until('HTTP/1.1 100 Continue\r\n\r\n')
  assert.equal(services.files.begun, 1)
  granted.send('hello')
  assert.match(await granted.until('"object":"file"'), /HTTP\/1\.1 201 Created/)
  granted.socket.destroy()
})

test('more than the limit is refused: announced before it is sent, else as soon as it has come', async t => {
  const { port, key, services, call } = await start(t, { limits: { uploadBytes: 100_000 } })
  const announced = await openWire(port)
  announced.send(head(key, 'Content-Length: 100001', 'Expect: 100-continue'))
  const answer = await announced.until('payload_too_large')
  assert.match(answer, /^HTTP\/1\.1 413 /)
  assert.match(answer, /\r\nConnection: close\r\n/)
  assert.equal(services.files.begun, 0)
  announced.socket.destroy()
  const endless = await openWire(port)
  endless.send(head(key, 'Transfer-Encoding: chunked'))
  const chunk = `c350\r\n${'x'.repeat(50_000)}\r\n`
  endless.send(chunk + chunk)
  await until(() => services.files.received === 100_000)
  endless.send('1\r\nx\r\n')
  assert.match(await endless.until('payload_too_large'), /^HTTP\/1\.1 413 /)
  endless.socket.destroy()
  await until(() => services.files.broken === 1)
  assert.equal((await call('/v1/files', { method: 'POST', body: 'x'.repeat(100_000) })).status, 201)
  assert.equal(services.files.stored.size, 1)
})

test('the default limit is 512 MiB', async t => {
  const { port, key, services } = await start(t)
  const wire = await openWire(port)
  wire.send(head(key, 'Content-Length: 536870913'))
  await wire.until('payload_too_large')
  wire.socket.destroy()
  const allowed = await openWire(port)
  allowed.send(head(key, 'Content-Length: 536870912', 'Expect: 100-continue'))
  await allowed.until('100 Continue')
  allowed.socket.destroy()
  await until(() => services.files.broken === 1)
})

test('a service that does not read stops the caller', async t => {
  const { port, key, services } = await start(t)
  const gate = Promise.withResolvers<void>()
  services.files.gate = gate.promise
  const wire = await openWire(port)
  const size = 64 * 1024 * 1024
  wire.send(head(key, `Content-Length: ${size}`))
  const isTaken = wire.socket.write(Buffer.alloc(size, 'x'))
  assert.equal(isTaken, false)
  // What the kernel's buffers hold is taken; then nothing moves.
  await settled(wire)
  assert.ok(wire.socket.writableLength > 0, 'all of it was taken')
  assert.equal(services.files.received, 0)
  gate.resolve()
  assert.match(await wire.until('"object":"file"'), /^HTTP\/1\.1 201 /)
  assert.equal(services.files.received, size)
  wire.socket.destroy()
})

for (const [name, headers, body] of [
  ['with a length', ['Content-Length: 100'], 'half of it'],
  ['in chunks', ['Transfer-Encoding: chunked'], 'a\r\nhalf of it\r\n'],
  ['before its first byte', ['Content-Length: 100'], ''],
] as const) {
  for (const end of ['destroy', 'end', 'resetAndDestroy'] as const) {
    test(`an upload ${name} that breaks off by ${end} is cancelled, and nothing is stored`, async t => {
      const { port, key, services, call, lines } = await start(t)
      const wire = await openWire(port)
      wire.send(head(key, ...headers) + body)
      await until(() => services.files.begun === 1 && services.files.received === body.slice(-12).trim().length % 11)
      wire.socket[end]()
      await until(() => services.files.broken === 1)
      assert.equal(services.files.stored.size, 0)
      assert.equal((await call('/v1/files', { method: 'POST', body: 'x' })).status, 201)
      assert.deepEqual(
        lines.filter(({ level }) => level !== 'debug'),
        [],
      )
    })
  }
}

test('an upload that is slow but moves takes longer than a request may; one that sends nothing is cut', async t => {
  const { port, key, services } = await start(t, { limits: { headersMs: 5_000, requestMs: 5_000, checkMs: 20 } })
  const wire = await openWire(port)
  const began = performance.now()
  wire.send(head(key, 'Content-Length: 1000'))
  for (let sent = 0; sent < 10; sent++) {
    await until(() => services.files.received === sent)
    const next = performance.now() + 600
    wire.send('x')
    await until(() => performance.now() >= next)
  }
  assert.ok(performance.now() - began > 5_000)
  assert.equal(services.files.broken, 0)
  const answer = await wire.rest()
  assert.match(answer, /^HTTP\/1\.1 408 Request Timeout\r\n/)
  await until(() => services.files.broken === 1)
  assert.equal(services.files.stored.size, 0)
})

test('a request behind an upload has its own time, also while the upload waits for its answer', async t => {
  const { port, key, services } = await start(t, { limits: { headersMs: 200, requestMs: 200, checkMs: 20 } })
  const gate = Promise.withResolvers<void>()
  services.files.gate = gate.promise
  const wire = await openWire(port)
  wire.send(`${head(key, 'Content-Length: 2')}hiGET /healthz HTTP/1.1\r\n`)
  const over = performance.now() + 400
  await until(() => performance.now() >= over)
  gate.resolve()
  assert.match(await wire.rest(), /^HTTP\/1\.1 201 [\s\S]*HTTP\/1\.1 408 Request Timeout\r\n/)
})

test('a service that fails early is heard while the body still comes', async t => {
  const { port, key, services } = await start(t)
  services.files.failure = new Error('the disk is full')
  const wire = await openWire(port)
  wire.send(head(key, 'Content-Length: 1000000', 'Expect: 100-continue'))
  assert.match(await wire.until('"code":"internal"'), /HTTP\/1\.1 500 /)
  wire.socket.destroy()
})

test('an upload that is on when the server stops may finish, and says that the connection ends', async t => {
  const { gateway, port, key, services } = await start(t)
  const wire = await openWire(port)
  wire.send(`${head(key, 'Content-Length: 10')}hello`)
  await until(() => services.files.received === 5)
  const closed = gateway.close()
  wire.send('world')
  const answer = await wire.rest()
  assert.match(answer, /^HTTP\/1\.1 201 /)
  assert.match(answer, /\r\nConnection: close\r\n/)
  await closed
  assert.equal(services.files.stored.size, 1)
})

test('an upload that does not end while the server stops is cut, and nothing is stored', async t => {
  const { gateway, port, key, services } = await start(t, { limits: { stopMs: 50 } })
  const wire = await openWire(port)
  wire.send(`${head(key, 'Content-Length: 10')}hello`)
  await until(() => services.files.received === 5)
  await gateway.close()
  assert.doesNotMatch(await wire.rest(), /201/)
  await until(() => services.files.broken === 1)
  assert.equal(services.files.stored.size, 0)
})

/** Resolves when a socket has stopped sending. */
async function settled({ socket }: Wire) {
  let before = -1
  while (socket.bytesWritten - socket.writableLength !== before) {
    before = socket.bytesWritten - socket.writableLength
    for (let n = 0; n < 200; n++) await turn()
  }
}
