/** Clients of HTTP/2 that mean harm, or know no better. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2, constants } from 'node:http2'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { processMetrics } from '@millhand/telemetry'
import { start } from './start.ts'

const CREATE = '/millhand.compute.v1.ComputeService/CreateTask'
const WATCH = '/millhand.compute.v1.ComputeService/WatchTask'

type Gateway = Awaited<ReturnType<typeof start>>

function sessionOf(t: TestContext, { url }: Gateway): ClientHttp2Session {
  const session = connectHttp2(url)
  session.on('error', () => {})
  t.after(() => session.destroy())
  return session
}

function call(session: ClientHttp2Session, path: string, headers: Record<string, string>): ClientHttp2Stream {
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  })
  stream.on('error', () => {})
  stream.resume()
  return stream
}

const enveloped = (bytes: Buffer, flags = 0) => {
  const head = Buffer.alloc(5)
  head.writeUInt8(flags)
  head.writeUInt32BE(bytes.length, 1)
  return Buffer.concat([head, bytes])
}

/** The status of gRPC that a call ends with. */
async function statusOf(stream: ClientHttp2Stream): Promise<string | undefined> {
  const [trailers] = await once(stream, 'trailers')
  return trailers['grpc-status']
}

/** REST is answered as before. */
const isServed = async ({ call }: Gateway) => assert.equal((await call('/v1/tasks')).status, 200)

test('a request that is larger than it may be is refused before it has come whole', async t => {
  const gateway = await start(t)
  const authorization = `Bearer ${gateway.key}`
  const large = call(sessionOf(t, gateway), CREATE, { authorization })
  const announced = enveloped(Buffer.alloc(2_000_000)).subarray(0, 1_200_000)
  large.write(announced)
  assert.equal(await statusOf(large), '8')
  assert.equal(gateway.services.created.length, 0)
  await isServed(gateway)
})

test('a compressed message is refused unread', async t => {
  const gateway = await start(t)
  const headers = { authorization: `Bearer ${gateway.key}`, 'grpc-encoding': 'gzip' }
  const bomb = call(sessionOf(t, gateway), CREATE, headers)
  bomb.end(enveloped(gzipSync(Buffer.alloc(50_000_000)), 1))
  assert.equal(await statusOf(bomb), '12')
  await isServed(gateway)
})

test('a request without a key is refused before its body', async t => {
  const gateway = await start(t)
  const unknown = call(sessionOf(t, gateway), CREATE, {})
  assert.equal(await statusOf(unknown), '16')
})

test('a request that does not come on ends', async t => {
  const gateway = await start(t, { limits: { headersMs: 50, requestMs: 50 } })
  const slow = call(sessionOf(t, gateway), CREATE, { authorization: `Bearer ${gateway.key}` })
  slow.write(Buffer.alloc(3))
  assert.equal(await statusOf(slow), '4')
})

test('a call whose caller leaves is recorded as one without an answer', async t => {
  const gateway = await start(t)
  const left = async () => {
    const series = `http_route="${CREATE}",http_response_status_code="none"`
    const line = (await processMetrics.text({ warn() {} }))
      .split('\n')
      .find(each => each.includes(`_count{`) && each.includes(series))
    return Number(line?.split(' ').at(-1) ?? 0)
  }
  const before = await left()
  const gone = call(sessionOf(t, gateway), CREATE, { authorization: `Bearer ${gateway.key}` })
  gone.write(Buffer.alloc(3), () => gone.close(constants.NGHTTP2_CANCEL))
  for (
    const limit = performance.now() + 100_000;
    (await left()) === before;
    await new Promise(resolve => setImmediate(resolve))
  )
    assert.ok(performance.now() < limit)
  assert.equal(await left(), before + 1)
  await isServed(gateway)
})

test('calls that are reset as fast as they are begun end the session, and no other', async t => {
  const gateway = await start(t)
  const session = sessionOf(t, gateway)
  const closed = new Promise<void>(resolve => session.once('close', resolve))
  const begin = () => {
    for (let at = 0; at < 500 && !session.closed && !session.destroyed; at++) {
      call(session, WATCH, {}).close(constants.NGHTTP2_CANCEL)
    }
    if (!session.closed && !session.destroyed) setImmediate(begin)
  }
  begin()
  await closed
  await isServed(gateway)
})

test('streams of one account have the limit that those of REST have', async t => {
  const gateway = await start(t, { limits: { streams: 2 } })
  const id = 'task_00000000000000000000000001'
  gateway.services.put({ id })
  const session = sessionOf(t, gateway)
  const body = enveloped(Buffer.concat([Buffer.from([0x0a, id.length]), Buffer.from(id)]))
  const watch = () => {
    const stream = call(session, WATCH, { authorization: `Bearer ${gateway.key}` })
    stream.end(body)
    return stream
  }
  const streams = [watch(), watch(), watch()]
  const status = await Promise.race(streams.map(statusOf))
  assert.equal(status, '8')
  for (const stream of streams) stream.close(constants.NGHTTP2_CANCEL)
  await isServed(gateway)
})

test('what is no method of a public service is no path of HTTP/2', async t => {
  const gateway = await start(t)
  const session = sessionOf(t, gateway)
  const authorization = `Bearer ${gateway.key}`
  for (const path of ['/millhand.identity.v1.IdentityService/AuthenticateKey', '/grpc.nothing.v1.Nothing/Do']) {
    const [headers] = await once(call(session, path, { authorization }), 'response')
    assert.equal(headers[':status'], 404)
  }
  const rest = call(session, '/v1/tasks', { authorization })
  await new Promise<void>(resolve => rest.once('close', resolve))
  assert.equal(rest.rstCode, constants.NGHTTP2_HTTP_1_1_REQUIRED)
})

test('gRPC over HTTP/1.1 is told to use HTTP/2', async t => {
  const gateway = await start(t)
  const headers = { 'content-type': 'application/grpc' }
  const answer = await gateway.call(CREATE, { method: 'POST', headers, body: enveloped(Buffer.alloc(0)) })
  assert.equal(answer.status, 415)
})

test('a connection that sends nothing, or half a word, is answered 408', async t => {
  const gateway = await start(t, { limits: { headersMs: 50, checkMs: 50 } })
  for (const sent of ['', 'PR']) {
    const socket = connect(gateway.port, '127.0.0.1')
    t.after(() => socket.destroy())
    socket.write(sent)
    const [answer] = await once(socket, 'data')
    assert.match(String(answer), /^HTTP\/1\.1 408 /)
  }
})

test('a call in flight is answered when the gateway stops', async t => {
  const gateway = await start(t)
  const gate = Promise.withResolvers<void>()
  gateway.services.createGate = gate.promise
  const called = call(sessionOf(t, gateway), CREATE, { authorization: `Bearer ${gateway.key}` })
  const ended = statusOf(called)
  called.end(enveloped(Buffer.from([0x08, 0x01, 0x12, 0x01, 0x78, 0x1a, 0x01, 0x78])))
  while (gateway.services.calls.length === 0) await new Promise(resolve => setImmediate(resolve))
  const closed = gateway.gateway.close()
  gate.resolve()
  assert.equal(await ended, '0')
  await closed
})
