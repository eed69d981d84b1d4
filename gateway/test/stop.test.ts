import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { start, validTask } from './start.ts'
import { openWire, requestText } from './wire.ts'

const body = JSON.stringify(validTask)

test('answers in flight finish and say that the connection ends', async t => {
  const { gateway, port, key } = await start(t)
  const wire = await openWire(port)
  const headers = [`Authorization: Bearer ${key}`, 'Content-Type: application/json', 'Expect: 100-continue']
  wire.send(requestText('POST /v1/tasks', [...headers, `Content-Length: ${body.length}`]))
  await wire.until('100 Continue')
  const closed = gateway.close()
  wire.send(body)
  const answer = await wire.rest()
  assert.match(answer, /HTTP\/1\.1 201 Created\r\n/)
  assert.match(answer, /\r\nConnection: close\r\n/)
  assert.match(answer, /"object":"task"/)
  await closed
})

test('new connections are refused at once, and readiness is taken back', async t => {
  const { gateway, port, key, health } = await start(t)
  assert.equal(health.ready().ready, true)
  const busy = await openWire(port)
  const headers = [`Authorization: Bearer ${key}`, 'Content-Type: application/json', 'Expect: 100-continue']
  busy.send(requestText('POST /v1/tasks', [...headers, `Content-Length: ${body.length}`]))
  await busy.until('100 Continue')
  const closed = gateway.close()
  assert.equal(health.ready().ready, false)
  const refused = await new Promise<string | undefined>(resolve =>
    connect(port, '127.0.0.1').once('error', (error: NodeJS.ErrnoException) => resolve(error.code)),
  )
  assert.equal(refused, 'ECONNREFUSED')
  busy.send(body)
  await closed
})

test('a drain takes readiness back and ends connections with their answers; all else is served as before', async t => {
  const { gateway, port, url, key, health, post, services } = await start(t)
  const kept = await openWire(port)
  kept.send(requestText('GET /healthz'))
  await kept.until('"ok"')
  gateway.drain()
  assert.equal(health.ready().ready, false)
  const readiness = await fetch(`${url}/readyz`)
  assert.equal(readiness.status, 503)
  assert.equal(readiness.headers.get('connection'), 'close')
  // A connection that was open before is served once more, and ends with that answer.
  kept.send(requestText('GET /v1/tasks', [`Authorization: Bearer ${key}`]))
  assert.match(await kept.rest(), /HTTP\/1\.1 200 OK\r\n.*Connection: close\r\n.*"object":"list"/s)
  const created = await post(validTask)
  assert.equal(created.status, 201)
  assert.equal(created.headers.get('connection'), 'close')
  // A wait is not cut short by it: the stop does that.
  const waiting = post(validTask, { prefer: 'wait=60' })
  while (services.waits === 0) await new Promise(resolve => setImmediate(resolve))
  await Promise.all([waiting, gateway.close()])
  assert.equal((await waiting).status, 201)
})

test('a request that is on its way when the stop begins is answered, also on a connection that was idle', async t => {
  const { gateway, port } = await start(t)
  const wire = await openWire(port)
  wire.send(requestText('GET /healthz'))
  await wire.until('"ok"')
  wire.send('GET /healthz HTTP/1.1\r\nHost: millhand.test\r\nX-Half: ')
  // A second connection's answer says that what was sent before it on the first has been read.
  const later = await openWire(port)
  later.send(requestText('GET /healthz'))
  await later.until('"ok"')
  const closed = gateway.close()
  wire.send('1\r\n\r\n')
  assert.match(await wire.rest(), /"ok".*Connection: close\r\n.*"ok"/s)
  await closed
})

test('connections that are idle, or have sent nothing yet, do not delay the stop', async t => {
  const { gateway, port } = await start(t, { limits: { stopMs: 50 } })
  const silent = await openWire(port)
  const idle = await openWire(port)
  idle.send(requestText('GET /healthz'))
  await idle.until('"ok"')
  const half = await openWire(port)
  half.send('GET /healthz HTTP/1.1\r\n')
  await Promise.all([gateway.close(), silent.rest(), idle.rest(), half.rest()])
})

test('an answer that is sent but not yet read is not cut', async t => {
  const { gateway, port, key, services } = await start(t)
  for (let n = 0; n < 40; n++) services.put({ id: `task_${n}`, input: 'x'.repeat(500_000) })
  const wire = await openWire(port)
  wire.socket.pause()
  wire.send(requestText('GET /v1/tasks', [`Authorization: Bearer ${key}`]))
  while (services.listed.length === 0) await new Promise(resolve => setImmediate(resolve))
  // The answer is written in the turns after that of the service.
  await new Promise(resolve => setImmediate(resolve))
  await new Promise(resolve => setImmediate(resolve))
  const closed = gateway.close()
  wire.socket.resume()
  const answer = await wire.rest()
  const length = Number(/Content-Length: (\d+)/.exec(answer)?.[1])
  assert.ok(length > 20_000_000)
  assert.equal(answer.slice(answer.indexOf('\r\n\r\n') + 4).length, length)
  await closed
})

test('waits end early, with the task as it is now', async t => {
  const { gateway, post, services } = await start(t)
  const answer = post(validTask, { prefer: 'wait=60' })
  while (services.waits === 0) await new Promise(resolve => setImmediate(resolve))
  // A change that who waits is not told of.
  for (const [id, task] of services.tasks) services.tasks.set(id, { ...task, attempt: 1 })
  const closed = gateway.close()
  const response = await answer
  assert.equal(response.status, 201)
  assert.equal(response.headers.get('preference-applied'), 'wait')
  assert.equal(((await response.json()) as { attempt: number }).attempt, 1)
  await closed
})

test('what does not end is cut off', async t => {
  const { gateway, port, key } = await start(t, { limits: { stopMs: 50 } })
  const wire = await openWire(port)
  const headers = [`Authorization: Bearer ${key}`, 'Content-Type: application/json', 'Expect: 100-continue']
  wire.send(requestText('POST /v1/tasks', [...headers, `Content-Length: ${body.length}`]))
  await wire.until('100 Continue')
  await gateway.close()
  assert.doesNotMatch(await wire.rest(), /HTTP\/1\.1 201/)
})

test('close is idempotent, also before listen', async t => {
  const { gateway } = await start(t)
  await Promise.all([gateway.close(), gateway.close()])
  await gateway.close()
})
