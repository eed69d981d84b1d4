/** Callers that send their last byte (FIN) and read on: they look like callers that are gone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { start, validTask } from './start.ts'
import { openWire, requestText } from './wire.ts'

const turn = () => new Promise(resolve => setImmediate(resolve))

/** A create, with these headers too. */
function create(key: string, ...more: string[]) {
  const body = JSON.stringify(validTask)
  const headers = [`Authorization: Bearer ${key}`, 'Content-Type: application/json', `Content-Length: ${body.length}`]
  return requestText('POST /v1/tasks', [...headers, ...more], body)
}

test('what was sent whole before the end is answered, and then the connection ends', async t => {
  const { url, port, key, services } = await start(t)
  const gate = Promise.withResolvers<void>()
  services.keys.gate = gate.promise
  const wire = await openWire(port)
  wire.socket.end(create(key) + create(key) + requestText('GET /healthz'))
  // The end has come too when what is sent after it is answered.
  for (let n = 0; n < 3; n++) await fetch(`${url}/healthz`, { headers: { connection: 'close' } })
  gate.resolve()
  const answers = (await wire.rest()).split('HTTP/1.1 ').slice(1)
  assert.deepEqual(
    answers.map(answer => answer.slice(0, 3)),
    ['201', '201', '200'],
  )
})

test('a wait that the end comes with, or that is on when it comes, is answered at once with what there is', async t => {
  const { port, key, services } = await start(t)
  const early = await openWire(port)
  early.socket.end(create(key, 'Prefer: wait=60'))
  const late = await openWire(port)
  late.send(create(key, 'Prefer: wait=60'))
  while (services.tasks.size < 2 || services.openWaits === 0) await turn()
  late.socket.end()
  for (const answer of await Promise.all([early.rest(), late.rest()])) {
    assert.match(answer, /^HTTP\/1\.1 201 /)
    assert.match(answer, /\r\nPreference-Applied: wait\r\n/)
    assert.match(answer, /"status":"queued"/)
  }
  assert.equal(services.openWaits, 0)
})

test('an idle connection ends with its caller', async t => {
  const { port } = await start(t)
  const wire = await openWire(port)
  wire.send(requestText('GET /healthz'))
  await wire.until('"ok"')
  wire.socket.end()
  assert.equal((await wire.rest()).split('HTTP/1.1 ').length, 2)
})

test('a request that the end cuts off is 400', async t => {
  const { port, key, services } = await start(t)
  const wire = await openWire(port)
  wire.socket.end(create(key).slice(0, -3))
  assert.match(await wire.rest(), /^HTTP\/1\.1 400 /)
  assert.equal(services.created.length, 0)
})

test('of callers that go away while they wait nothing stays', async t => {
  const { port, key, services } = await start(t)
  for (let round = 0; round < 3; round++) {
    const wires = await Promise.all(Array.from({ length: 100 }, () => openWire(port)))
    const before = services.waits
    for (const wire of wires) wire.send(create(key, 'Prefer: wait=60'))
    while (services.waits < before + wires.length) await turn()
    // By turns one that closes in order, and one that resets.
    for (const [at, { socket }] of wires.entries()) at % 2 === 0 ? socket.destroy() : socket.resetAndDestroy()
    while (services.openWaits > 0) await turn()
  }
  assert.equal(services.tasks.size, 300)
})
