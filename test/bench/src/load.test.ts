import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { answerReader } from './answer-reader.ts'
import { histogram } from './histogram.ts'
import { httpRequest } from './http-request.ts'
import { load } from './load.ts'

test('the histogram knows every value below 256 µs exactly and larger ones within 1/128', () => {
  const small = histogram()
  for (let value = 1; value <= 200; value += 1) small.record(value)
  assert.equal(small.count, 200)
  assert.equal(small.quantile(0.5), 100)
  assert.equal(small.quantile(0.99), 198)
  assert.equal(small.quantile(1), 200)
  for (const value of [256, 257, 1000, 4095, 4096, 123_456, 60_000_000, 2 ** 31 - 1]) {
    const one = histogram()
    one.record(value)
    one.record(2 ** 31 - 1)
    const seen = one.quantile(0.5)
    assert.ok(seen >= value && seen <= value * (1 + 1 / 128), `${value} reads as ${seen}`)
  }
  assert.equal(histogram().quantile(0.5), 0)
})

test('an answer is read whole wherever it is cut', () => {
  const bytes = Buffer.from('HTTP/1.1 201 Created\r\nX-A: 1\r\ncontent-length: 7\r\n\r\n{"a":1}')
  for (let cut = 1; cut < bytes.length; cut += 1) {
    const reader = answerReader()
    assert.equal(reader.read(bytes.subarray(0, cut)), undefined)
    const answer = reader.read(bytes.subarray(cut))
    assert.equal(answer?.status, 201)
    assert.equal(answer?.body.toString(), '{"a":1}')
    assert.equal(reader.read(bytes)?.body.toString(), '{"a":1}')
  }
  assert.throws(() => answerReader().read(Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')))
  assert.throws(() => answerReader().read(Buffer.from('SSH-2.0-OpenSSH_9.2\r\n\r\n')))
})

test('the load is exactly what was asked for, and bad answers are told from good ones', async () => {
  const bodies: string[] = []
  await using server = await serve((request, response) => {
    let body = ''
    request.on('data', chunk => {
      body += chunk
    })
    request.on('end', () => {
      bodies.push(`${request.headers.authorization} ${body}`)
      const bad = bodies.length % 10 === 0
      response.writeHead(bad ? 503 : 201, { 'content-length': 15 }).end('{"status":"ok"}')
    })
  })
  const requests = ['one', 'two', 'three'].map(body => httpRequest({ method: 'POST', path: '/x', key: 'k', body }))
  const plan = { host: '127.0.0.1', port: server.port, connections: 4, requests, until: { requests: 300 } }

  const result = await load({ ...plan, expect: { status: 201, body: '"status":"ok"' } })

  assert.equal(bodies.length, 300)
  assert.equal(bodies.filter(body => body === 'Bearer k two').length, 100)
  assert.equal(result.good, 270)
  assert.equal(result.failed, 30)
  assert.match(result.firstFailure ?? '', /^HTTP\/1.1 503/)
  assert.equal(result.bodyBytes, 15)

  const unexpected = await load({ ...plan, expect: { status: 201, body: '"status":"failed"' } })
  assert.equal(unexpected.good, 0)
})

test('never more requests at once than connections, and none after the time is over', async () => {
  let open = 0
  let most = 0
  let answered = 0
  await using server = await serve((request, response) => {
    open += 1
    most = Math.max(most, open)
    request.resume()
    setImmediate(() => {
      open -= 1
      answered += 1
      response.writeHead(200, { 'content-length': 2 }).end('ok')
    })
  })

  const result = await load({
    host: '127.0.0.1',
    port: server.port,
    connections: 8,
    requests: [httpRequest({ method: 'GET', path: '/' })],
    expect: { status: 200 },
    until: { seconds: 0.1 },
  })

  assert.equal(most, 8)
  assert.equal(result.good, answered)
  assert.ok(result.perSecond > 0 && result.perSecond * 0.1 <= answered + 1e-6)
  assert.ok(result.latency.p50 > 0 && result.latency.p50 <= result.latency.max)
})

test('a connection that the server drops ends the load with an error', async () => {
  await using server = await serve(request => request.socket.destroy())
  const requests = [httpRequest({ method: 'GET', path: '/' })]
  const plan = { host: '127.0.0.1', port: server.port, connections: 1, requests, expect: { status: 200 } }
  await assert.rejects(load({ ...plan, until: { requests: 1 } }))
})

async function serve(listener: RequestListener): Promise<{ port: number } & AsyncDisposable> {
  const server = createServer(listener)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => new Promise<void>(resolve => server.close(() => resolve())),
  }
}
