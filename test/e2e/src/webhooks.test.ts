/** A user's server hears of what happens: signed, at least once, and again when it asks. */
import assert from 'node:assert/strict'
import { createPublicKey, randomUUID, verify } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import type { Answer, Wire } from './http.ts'
import { type Received, type Receiver, startReceiver } from './receiver.ts'
import { assertProblem, digit, run, TYPE_ID } from './tasks.ts'
import { type Visited, visitServer } from './visited-server.ts'

describe('webhooks', () => {
  let server: Visited
  let receiver: Receiver
  before(async () => {
    ;[server, receiver] = await Promise.all([visitServer(), startReceiver()])
  })
  after(async () => {
    await server.leave()
    await receiver[Symbol.asyncDispose]()
  })

  const call = async (method: string, path: string, json?: object): Promise<Wire> => {
    const answer = await server.request(method, `/v1/${path}`, json && { json })
    assert.ok(answer.status < 300, answer.text)
    return answer.body
  }
  const webhookAt = (path: string, more: object = {}) =>
    call('POST', 'webhooks', { url: receiver.url(path), events: ['task.succeeded'], ...more })
  const about =
    ({ id }: Wire) =>
    ({ body }: Received) =>
      body.data.object.id === id
  const verified = (secret: string, { headers, text }: Received) => {
    try {
      return Boolean(new Webhook(secret).verify(text, headers as Record<string, string>))
    } catch {
      return false
    }
  }
  /** What a list or an object is, once it is as it should be. */
  const seen = async (path: string, isSo: (body: Wire) => unknown): Promise<Wire> => {
    const deadline = performance.now() + 300_000
    for (;;) {
      const body = await call('GET', path)
      if (isSo(body)) return body
      assert.ok(performance.now() < deadline, JSON.stringify(body, null, 1))
      await pause(50)
    }
  }

  /** The answer, once nobody else is at it. */
  const onceAnswered = async (ask: () => Promise<Answer>): Promise<Answer> => {
    const deadline = performance.now() + 300_000
    for (;;) {
      const answer = await ask()
      if (answer.status !== 409) return answer
      assert.ok(performance.now() < deadline, answer.text)
      await pause(50)
    }
  }

  it('tell of a task with its output, signed so that the standard library verifies it', async () => {
    const { secret } = await webhookAt('/signed', { metadata: { of: 'me' } })
    const task = await run(server, digit(7))
    const received = await receiver.gets('/signed', about(task))
    assert.ok(verified(secret, received))
    assert.ok(!verified(secret, { ...received, text: received.text.replace('succeeded', 'failed') }))
    const { headers, body } = received
    assert.equal(headers['content-type'], 'application/json')
    assert.equal(headers['webhook-id'], body.id)
    assert.match(body.id, TYPE_ID('evt'))
    assert.deepEqual([body.type, body.mode, body.data.object.output], ['task.succeeded', 'live', task.output])
    assert.equal(body.timestamp, (await call('GET', `events/${body.id}`)).created_at)
    assert.equal(body.created_at, undefined)
  })

  it('are made by a key that may read what they are told, and by no other', async () => {
    const made = await call('POST', 'api_keys', { name: 'hooks', scopes: ['webhooks:write', 'tasks:read'] })
    const headers = { authorization: `Bearer ${made.key}` }
    const ask = (method: string, path: string, json: object) =>
      server.request(method, `/v1/${path}`, { headers, json: { url: receiver.url('/scoped'), ...json } })
    const refused = await ask('POST', 'webhooks', { events: ['task.*', 'key.created', 'webhook.disabled'] })
    assertProblem(refused, 403, 'insufficient_scope')
    assert.match(String(refused.headers['www-authenticate']), /scope="keys:read webhooks:read"/)
    for (const word of ['`key.created`', '`webhook.disabled`', '`keys:read`', '`webhooks:read`', '`events:read`'])
      assert.ok(refused.body.detail.includes(word), refused.body.detail)
    assertProblem(await ask('POST', 'webhooks', { events: ['*'] }), 403, 'insufficient_scope')
    assert.equal((await ask('POST', 'webhooks', { events: ['task.*'] })).status, 201)
    const { id } = await webhookAt('/of-all', { events: ['*'] })
    assertProblem(await ask('PATCH', `webhooks/${id}`, {}), 403, 'insufficient_scope')
  })

  it('are signed by Ed25519 where that is asked for', async () => {
    const { secret } = await webhookAt('/public-key', { signature: 'v1a' })
    const task = await run(server, digit(1))
    const { headers, text } = await receiver.gets('/public-key', about(task))
    const [scheme, signature = ''] = String(headers['webhook-signature']).split(',')
    assert.equal(scheme, 'v1a')
    const x = Buffer.from(secret.slice('whpk_'.length), 'base64').toString('base64url')
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    const signed = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`)
    assert.ok(verify(null, signed, key, Buffer.from(signature, 'base64')))
  })

  it('tell the callback of a task of its end, signed with the account’s own secret', async () => {
    const { secret } = await call('GET', 'callback_secret')
    const task = await run(server, digit(2, { callback: { url: receiver.url('/callback') } }))
    assert.deepEqual(task.callback, { url: receiver.url('/callback'), events: [] })
    const received = await receiver.gets('/callback')
    assert.ok(verified(secret, received))
    assert.deepEqual([received.body.type, received.body.data.object.id], ['task.succeeded', task.id])
    assert.equal(receiver.at('/callback').length, 1, 'of its end alone')
    const all = await run(server, digit(2, { callback: { url: receiver.url('/callback-all'), events: ['task.*'] } }))
    for (const type of ['task.queued', 'task.started', 'task.succeeded'])
      await receiver.gets('/callback-all', ({ body }) => body.type === type && body.data.object.id === all.id)
  })

  it('keep a log of every try, and try again when they are told to', async () => {
    receiver.answer('/flaky', 500)
    const { id } = await webhookAt('/flaky')
    const task = await run(server, digit(3))
    await receiver.gets('/flaky', about(task))
    // The next try by the schedule, 5 s and then 30 s later, is not the one that is asked for.
    const isAtRest = ({ next_attempt_at: next = '' }: Wire) => Date.parse(next) - Date.now() > 3_000
    const { data } = await seen(`webhooks/${id}/deliveries`, ({ data: [first] }) => first && isAtRest(first))
    const [delivery] = data
    assert.equal(delivery.attempts[0].status, 500)
    receiver.answer('/flaky', 200)
    const path = `webhooks/${id}/deliveries/${delivery.id}`
    await call('POST', `${path}/retry`)
    const done = await seen(path, ({ status }) => status === 'succeeded')
    assert.deepEqual(
      done.attempts.map(({ status }: Wire) => status),
      [...delivery.attempts.map(() => 500), 200],
    )
    const [first, second] = receiver.at('/flaky')
    assert.equal(second?.headers['webhook-id'], first?.headers['webhook-id'])
    assert.equal(second?.text, first?.text, 'the body is the same at every try')
    assert.equal((await call('GET', `webhooks/${id}/deliveries?status=failed`)).data.length, 0)
    assert.equal((await call('GET', `webhooks/${id}/deliveries?event_id=${delivery.event_id}`)).data.length, 1)
  })

  it('can be tested, whatever they ask for', async () => {
    const { id, secret } = await webhookAt('/tested', { events: ['batch.completed'] })
    const { event_id } = await call('POST', `webhooks/${id}/test`)
    const received = await receiver.gets('/tested')
    assert.ok(verified(secret, received))
    assert.deepEqual([received.body.type, received.body.id], ['webhook.test', event_id])
  })

  it('are signed with the old and the new secret after a rotation', async () => {
    const { id, secret } = await webhookAt('/rotated')
    const { secret: next } = await call('POST', `webhooks/${id}/rotate_secret`)
    const task = await run(server, digit(4))
    const received = await receiver.gets('/rotated', about(task))
    assert.ok(verified(secret, received) && verified(next, received))
  })

  it('are rotated once by a request with a key, whose answer was lost and that is sent again', async () => {
    const { id, secret } = await webhookAt('/rotated-once')
    const path = `/v1/webhooks/${id}/rotate_secret`
    const headers = { 'idempotency-key': randomUUID() }
    const leaving = new AbortController()
    const lost = server.request('POST', path, { json: {}, headers, signal: leaving.signal }).catch(() => undefined)
    await seen(`webhooks/${id}`, ({ resource_version }) => resource_version === 2)
    leaving.abort()
    await lost
    const next = await onceAnswered(() => server.request('POST', path, { json: {}, headers }))
    assert.equal(next.headers['idempotent-replayed'], 'true')
    assert.equal((await call('GET', `webhooks/${id}`)).resource_version, 2)
    const task = await run(server, digit(4))
    const received = await receiver.gets('/rotated-once', about(task))
    assert.ok(verified(secret, received), 'who has not heard of another secret goes on with the old one')
    assert.ok(verified(next.body.secret, received))
  })

  it('are tried again once by a request with a key, however often it is sent', async () => {
    const { id } = await webhookAt('/retried-once')
    const task = await run(server, digit(4))
    const { data } = await seen(`webhooks/${id}/deliveries`, ({ data: [first] }) => first?.status === 'succeeded')
    const path = `webhooks/${id}/deliveries/${data[0].id}`
    const retry = async (key: string) => {
      const headers = { 'idempotency-key': key }
      const answer = await server.request('POST', `/v1/${path}/retry`, { json: {}, headers })
      assert.equal(answer.status, 202, answer.text)
      return answer
    }
    const done = (attempts: number) =>
      seen(path, ({ status, attempt }) => status === 'succeeded' && attempt >= attempts)
    const [one, another] = [randomUUID(), randomUUID()]
    const first = await retry(one)
    await done(2)
    const again = await retry(one)
    assert.ok(again.bytes.equals(first.bytes))
    assert.equal(again.headers['idempotent-replayed'], 'true')
    await retry(another)
    assert.equal((await done(3)).attempt, 3)
    assert.equal(receiver.at('/retried-once').filter(about(task)).length, 3)
  })

  it('hear of nothing while they are disabled, and of what they missed by a replay', async () => {
    const since = new Date().toISOString()
    const { id } = await webhookAt('/away')
    await call('PATCH', `webhooks/${id}`, { status: 'disabled' })
    const missed = await run(server, digit(5))
    await seen(`events?resource_id=${missed.id}&type=task.succeeded`, ({ data }) => data.length === 1)
    assertProblem(await server.request('POST', `/v1/webhooks/${id}/test`, { json: {} }), 409, 'invalid_state')
    await call('PATCH', `webhooks/${id}`, { status: 'enabled' })
    const next = await run(server, digit(5))
    await receiver.gets('/away', about(next))
    assert.ok(!receiver.at('/away').some(about(missed)))
    await call('POST', `webhooks/${id}/replay`, { since })
    await receiver.gets('/away', about(missed))
  })

  it('are disabled by 410, and others are told', async () => {
    receiver.answer('/gone', 410)
    await webhookAt('/told', { events: ['webhook.disabled'] })
    const { id } = await webhookAt('/gone')
    await run(server, digit(6))
    const { disabled_reason } = await seen(`webhooks/${id}`, ({ status }) => status === 'disabled')
    assert.equal(disabled_reason, 'gone')
    const told = await receiver.gets('/told', about({ id }))
    assert.equal(told.body.data.object.disabled_reason, 'gone')
    assert.ok(!told.text.includes('whsec_'))
  })

  it('leave a list of all that has happened, in order', async () => {
    const task = await run(server, digit(8))
    const path = `events?resource_id=${task.id}&order=asc`
    const { data } = await seen(path, ({ data }) => data.length === 3)
    assert.deepEqual(
      data.map(({ type }: Wire) => type),
      ['task.queued', 'task.started', 'task.succeeded'],
    )
    assert.deepEqual(await call('GET', `events/${data[2].id}`), data[2])
    const { data: ends } = await call('GET', 'events?type=task.succeeded&limit=100')
    assert.ok(ends.every(({ type }: Wire) => type === 'task.succeeded'))
    assert.ok(ends.some(({ id }: Wire) => id === data[2].id))
  })

  it('go to public addresses alone, but for those that the operator allows', async () => {
    for (const url of ['https://10.0.0.1/', 'http://192.0.2.1/', 'https://localhost./', 'ftp://example.com/', 'x']) {
      const answer = await server.request('POST', '/v1/webhooks', { json: { url, events: ['*'] } })
      assertProblem(answer, 400, 'invalid_parameter', 'url')
    }
    const json = digit(1, { callback: { url: 'https://169.254.169.254/latest' } })
    assertProblem(await server.request('POST', '/v1/tasks', { json }), 400, 'invalid_parameter', 'callback.url')
    const bad = { url: receiver.url('/'), events: ['task.sucesed'] }
    const answer = await server.request('POST', '/v1/webhooks', { json: bad })
    assertProblem(answer, 400, 'invalid_parameter', 'events[0]')
    assert.match(answer.body.detail, /task\.succeeded/)
  })

  it('tell of what happens in the sandbox to those of the sandbox', async () => {
    const headers = { authorization: `Bearer ${server.testKey}` }
    const make = { url: receiver.url('/sandbox'), events: ['task.*'] }
    const made = await server.request('POST', '/v1/webhooks', { json: make, headers })
    assert.equal(made.status, 201, made.text)
    const { body: task } = await server.request('POST', '/v1/tasks', { json: digit(1), headers })
    const received = await receiver.gets('/sandbox', each => about(task)(each) && each.body.type === 'task.succeeded')
    assert.ok(verified(made.body.secret, received))
    assert.ok(receiver.at('/sandbox').every(({ body }) => body.mode === 'test'))
  })

  it('arrive when the server was killed before they could', async () => {
    receiver.answer('/later', 503)
    const { id } = await webhookAt('/later')
    const task = await run(server, digit(9))
    await receiver.gets('/later', about(task))
    await server.kill()
    receiver.answer('/later', 204)
    await server.restart()
    await seen(`webhooks/${id}/deliveries`, ({ data: [first] }) => first?.status === 'succeeded')
    const [first, second] = receiver.at('/later')
    assert.equal(second?.headers['webhook-id'], first?.headers['webhook-id'])
  })
})
