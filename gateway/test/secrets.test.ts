/** A secret of ours, wherever it stands in a request, comes back in no answer and goes into no log. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createApiKey } from '@millhand/api'
import { createLog } from '@millhand/telemetry'
import { start, validTask } from './start.ts'

const path = '/v1/tasks'
const secrets = [
  createApiKey('live'),
  createApiKey('test'),
  'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  'mhs_eyJzZXJ2.c2ln',
  'mht_c2VhbGVk',
]

type Call = Awaited<ReturnType<typeof start>>['call']

/** Requests with a text in one place each. */
const places: Record<string, (call: Call, secret: string) => Promise<Response>> = {
  'a path that there is not': (call, secret) => call(`/v1/${secret}`),
  'an id in a path': (call, secret) => call(`${path}/${secret}`),
  'an id in a path, in percent-encoding': (call, secret) => call(`${path}/${percent(secret)}`),
  'an id in a path, encoded twice': (call, secret) => call(`${path}/${encodeURIComponent(percent(secret))}`),
  'an id in a path, with one character encoded': (call, secret) =>
    call(`${path}/${secret.slice(0, 20)}${percent(secret.slice(20, 21))}${secret.slice(21)}`),
  'an id in a path, with its underscore encoded': (call, secret) =>
    call(`${path}/${secret.replace('_', '%5f')}/events`),
  'the name of a query': (call, secret) => call(`${path}?${secret}=1`),
  'the value of a query': (call, secret) => call(`${path}?status=${secret}`),
  'a cursor': (call, secret) => call(`${path}?cursor=${secret}&cursor=${secret}`),
  'a stream token': (call, secret) =>
    call(`${path}/a/events?stream_token=${secret}`, { headers: { authorization: '' } }),
  'Last-Event-ID': (call, secret) => call(`${path}/a/events`, { headers: { 'last-event-id': secret } }),
  Authorization: (call, secret) => call(path, { headers: { authorization: `Bearer ${secret}x` } }),
  'Idempotency-Key': (call, secret) => post(call, validTask, { 'idempotency-key': `${secret}é` }),
  'Content-Type': (call, secret) => post(call, validTask, { 'content-type': secret }),
  'Content-Encoding': (call, secret) => post(call, validTask, { 'content-encoding': secret }),
  'X-Request-Id': (call, secret) => call(`${path}/b`, { headers: { 'x-request-id': secret } }),
  Prefer: (call, secret) => call(`${path}/b`, { headers: { prefer: secret } }),
  'the name of a field': (call, secret) => post(call, { ...validTask, [secret]: 1 }),
  'the name of a field within one': (call, secret) => post(call, { ...validTask, callback: { [secret]: 1 } }),
  'the value of a field': (call, secret) => post(call, { ...validTask, type: secret, priority: secret }),
  'the key of a map': (call, secret) => post(call, { ...validTask, metadata: { [secret]: 1 } }),
  'a body that is no JSON': (call, secret) => post(call, `{"model": ${secret}}`),
  'a body that breaks off in it': (call, secret) => post(call, `{"model": "${secret}" oh`),
  'a body whose fault stands behind it': (call, secret) => post(call, `{"${secret}":@, "input":"${'x'.repeat(99)}"}`),
  'a body that breaks off behind it': (call, secret) => post(call, `{"${secret}`),
}

for (const [place, send] of Object.entries(places)) {
  test(`a secret as ${place} is not echoed and not logged`, async t => {
    const written: string[] = []
    const log = createLog({ level: 'debug', write: line => written.push(line) })
    const { call, services } = await start(t, { log })
    services.failure = place.startsWith('the value') ? new Error('boom') : undefined
    for (const secret of secrets) {
      const answer = await send(call, secret)
      assert.ok(answer.status >= 400, `${answer.status}`)
      const told = JSON.stringify([...answer.headers]) + (await answer.text())
      for (const text of [told, ...written]) {
        for (let from = 4; from + 8 <= secret.length; from++) {
          assert.ok(!text.includes(secret.slice(from, from + 8)), text)
        }
      }
    }
    assert.ok(written.length > 0)
  })
}

const percent = (text: string) => text.replace(/./g, character => `%${character.charCodeAt(0).toString(16)}`)

function post(call: Call, body: unknown, headers: Record<string, string> = {}) {
  return call(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}
