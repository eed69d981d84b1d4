/** Uploads with an `Idempotency-Key`: their bodies are known only when they have come. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fail } from '@millhand/api'
import { problemIn } from './problem.ts'
import { start } from './start.ts'
import { openWire, requestText } from './wire.ts'

const keyed = { 'idempotency-key': 'once' }

const turn = () => new Promise(resolve => setImmediate(resolve))

type Started = Awaited<ReturnType<typeof start>>

const raw = ({ call }: Started, body: string, query = '') =>
  call(`/v1/files${query}`, { method: 'POST', headers: { ...keyed, 'content-type': 'text/plain' }, body })

function form({ call }: Started, text: string, metadata = 'b') {
  const body = new FormData()
  body.append('metadata[a]', metadata)
  body.append('file', new File([text], 'a.txt', { type: 'text/plain' }))
  return call('/v1/files', { method: 'POST', headers: keyed, body })
}

test('a replay reads its body, and answers as the first time', async t => {
  const started = await start(t)
  const first = await raw(started, 'hello')
  const bytes = await first.text()
  const again = await raw(started, 'hello')
  assert.equal(await again.text(), bytes)
  assert.equal(again.headers.get('location'), first.headers.get('location'))
  assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [201, 'true'])
  assert.equal(started.services.files.begun, 1)
})

test('another body, query or type is a mismatch', async t => {
  const started = await start(t)
  await (await raw(started, 'hello')).text()
  await problemIn(await raw(started, 'hallo'), 'idempotency_mismatch')
  await problemIn(await raw(started, 'hello', '?filename=x'), 'idempotency_mismatch')
  const headers = { ...keyed, 'content-type': 'text/html' }
  const typed = await started.call('/v1/files', { method: 'POST', headers, body: 'hello' })
  await problemIn(typed, 'idempotency_mismatch')
})

test('forms are the same whatever stands between their parts', async t => {
  const started = await start(t)
  const bytes = await (await form(started, 'hello')).text()
  assert.equal(await (await form(started, 'hello')).text(), bytes)
  await problemIn(await form(started, 'hallo'), 'idempotency_mismatch')
  await problemIn(await form(started, 'hello', 'c'), 'idempotency_mismatch')
  assert.equal(started.services.files.begun, 1)
})

test('a body that breaks off leaves the key as it was', async t => {
  const started = await start(t)
  const { services, port, key } = started
  const wire = await openWire(port)
  const headers = [`Authorization: Bearer ${key}`, 'Content-Length: 10', 'Idempotency-Key: once']
  wire.send(requestText('POST /v1/files', headers, 'hel'))
  while (services.files.received === 0) await turn()
  wire.socket.destroy()
  while (!services.idempotency.calls.includes('forget')) await turn()
  assert.equal((await raw(started, 'hello')).status, 201)
})

test('so does one that can not be read, and one that the account has no room for', async t => {
  const started = await start(t, { limits: { uploadBytes: 10 } })
  const { services, call } = started
  const headers = { ...keyed, 'content-type': 'multipart/form-data; boundary=x' }
  const broken = await call('/v1/files', { method: 'POST', headers, body: '--x' })
  await problemIn(broken, 'invalid_parameter')
  services.files.failure = fail('storage_quota_exceeded', 'Full.')
  await problemIn(await raw(started, 'hello'), 'storage_quota_exceeded')
  services.files.failure = undefined
  assert.equal((await raw(started, 'hello')).status, 201)
})

test('other bytes than a first try has made its file of are no answer: the right ones are sent again', async t => {
  const started = await start(t)
  const { services } = started
  services.files.failure = fail('idempotency_mismatch', 'It was made of other bytes.')
  await problemIn(await raw(started, 'hallo'), 'idempotency_mismatch')
  services.files.failure = undefined
  assert.deepEqual(services.idempotency.calls, ['reserve', 'release'])
  assert.equal((await raw(started, 'hello')).status, 201)
})

test('a caller that leaves once all has come changes nothing', async t => {
  const started = await start(t)
  const { services, port, key } = started
  const gate = Promise.withResolvers<void>()
  services.files.gate = gate.promise
  const wire = await openWire(port)
  const headers = [`Authorization: Bearer ${key}`, 'Content-Length: 5', 'Content-Type: text/plain']
  wire.send(requestText('POST /v1/files', [...headers, 'Idempotency-Key: once'], 'hello'))
  while (services.files.begun === 0) await turn()
  wire.socket.end()
  gate.resolve()
  while (services.idempotency.only.answer === undefined) await turn()
  const again = await raw(started, 'hello')
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
})

test('while one is on its way, another is refused before it is sent', async t => {
  const started = await start(t)
  const { services, port, key } = started
  const gate = Promise.withResolvers<void>()
  services.files.gate = gate.promise
  const first = raw(started, 'hello')
  while (services.files.begun === 0) await turn()
  const wire = await openWire(port)
  const headers = [`Authorization: Bearer ${key}`, 'Content-Length: 5', 'Content-Type: text/plain']
  wire.send(requestText('POST /v1/files', [...headers, 'Expect: 100-continue', 'Idempotency-Key: once']))
  assert.match(await wire.until('idempotency_in_progress'), /^HTTP\/1\.1 409 /)
  wire.socket.destroy()
  gate.resolve()
  assert.equal((await first).status, 201)
  assert.equal(services.files.begun, 1)
})
