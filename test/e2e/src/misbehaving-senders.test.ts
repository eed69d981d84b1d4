/** Senders that break off, dawdle, or send what is no HTTP. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { connection, rawHead } from './raw-http.ts'
import { digit, run } from './tasks.ts'
import { type Visited, visitServer } from './visited-server.ts'

let server: Visited
before(async () => {
  server = await visitServer()
})
after(() => server.leave())

/** After everything that was done to it, it works as before. */
async function lives(): Promise<void> {
  assert.equal((await run(server, digit(7))).output.digit, 7)
}

test('a chunked body is read as any other, and stopped at the limit', async () => {
  const small = await connection(server.url)
  const body = JSON.stringify(digit(3))
  small.write(rawHead('POST', '/v1/tasks', server, ['Transfer-Encoding: chunked']))
  for (const part of [body.slice(0, 10), body.slice(10)]) small.write(`${part.length.toString(16)}\r\n${part}\r\n`)
  small.write('0\r\n\r\n')
  assert.match(await small.response(), /^HTTP\/1\.1 201 /)
  small.close()
  const large = await connection(server.url)
  large.write(rawHead('POST', '/v1/tasks', server, ['Transfer-Encoding: chunked']))
  const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`
  for (let sent = 0; sent < 160 && large.isOpen(); sent++) large.write(chunk)
  assert.match(await large.response(), /^HTTP\/1\.1 413 /)
  large.close()
  await lives()
})

test('an upload that breaks off makes nothing and harms nobody', async () => {
  const body = JSON.stringify(digit(1, { metadata: { broken: 'off' } }))
  for (let time = 0; time < 20; time++) {
    const half = await connection(server.url)
    half.write(rawHead('POST', '/v1/tasks', server, [`Content-Length: ${body.length}`]) + body.slice(0, 5 + time * 3))
    half.destroy()
  }
  await lives()
  assert.deepEqual((await server.request('GET', '/v1/tasks?metadata[broken]=off')).body.data, [])
})

test('slow senders hold up nobody', async () => {
  const slow = await Promise.all(Array.from({ length: 100 }, () => connection(server.url)))
  for (const [at, each] of slow.entries())
    each.write(
      at % 2 === 0 ? 'POST /v1/tasks HTT' : `${rawHead('POST', '/v1/tasks', server, ['Content-Length: 500'])}{"type":`,
    )
  await lives()
  for (const each of slow) each.destroy()
})

test('what is no HTTP is answered with 400 and the connection closed', async () => {
  for (const bytes of [
    'NONSENSE\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    '\0\0\0\0\r\n\r\n',
    'GET /v1/tasks HTTP/1.1\r\nno colon\r\n\r\n',
  ]) {
    const one = await connection(server.url)
    one.write(bytes)
    assert.match(await one.response(), /^HTTP\/1\.1 (400|505) /, JSON.stringify(bytes))
    await one.ended()
  }
  const long = await connection(server.url)
  long.write(`GET /v1/tasks HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(100_000)}\r\n\r\n`)
  assert.match(await long.response(), /^HTTP\/1\.1 431 /)
  long.destroy()
  await lives()
})

test('who sends all of a request and then its end (FIN) gets the answer, a wait at once', async () => {
  const body = JSON.stringify(digit(8))
  for (const wait of [[], ['Prefer: wait=60']]) {
    const one = await connection(server.url)
    one.write(rawHead('POST', '/v1/tasks', server, [`Content-Length: ${body.length}`, ...wait]) + body)
    one.close()
    const began = performance.now()
    assert.match(await one.response(), /^HTTP\/1\.1 201 /)
    await one.ended()
    assert.ok(performance.now() - began < 55_000)
  }
  const idle = await connection(server.url)
  idle.write(rawHead('GET', '/healthz', server, []))
  await idle.response()
  idle.close()
  await idle.ended()
  await lives()
})

test('a task that was taken is told of, whatever comes behind its request', async () => {
  const one = await connection(server.url)
  const body = JSON.stringify({ ...digit(8), metadata: { before: 'junk' } })
  const headers = [`Content-Length: ${body.length}`, 'Prefer: wait=60']
  one.write(
    `${rawHead('POST', '/v1/tasks', server, headers) + body + rawHead('GET', '/healthz', server, [])}no HTTP\r\n`,
  )
  await one.ended()
  const statuses = [...(await one.response()).matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status)
  assert.deepEqual(statuses, ['201', '200', '400'])
  assert.equal((await server.request('GET', '/v1/tasks?metadata[before]=junk')).body.data.length, 1)
})

test('a request has one host, and its body no coding that is not undone', async () => {
  for (const [path, header] of [
    ['/v1/tasks', 'Host: b'],
    ['/v1/tasks', 'Transfer-Encoding: gzip, chunked'],
  ] as const) {
    const one = await connection(server.url)
    one.write(`${rawHead('POST', path, server, [header])}0\r\n\r\n`)
    assert.match(await one.response(), /^HTTP\/1\.1 400 [\s\S]*application\/problem\+json/, header)
    one.destroy()
  }
})

test('a request that says two lengths is refused (request smuggling)', async () => {
  for (const lengths of [
    ['Content-Length: 5', 'Content-Length: 6'],
    ['Content-Length: 5', 'Transfer-Encoding: chunked'],
  ]) {
    const one = await connection(server.url)
    one.write(`${rawHead('POST', '/v1/tasks', server, lengths)}0\r\n\r\n`)
    assert.match(await one.response(), /^HTTP\/1\.1 400 /)
    one.destroy()
  }
})
