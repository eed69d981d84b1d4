/** Keys, tokens and the secrets of the service are nowhere but where they must be, whatever a caller does with them. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { credentialsOf, holders } from '@millhand/deploy/credentials'
import { createCredentialsIssuer } from '@millhand/rpc/network'
import type { RequestOptions } from './http.ts'
import { mistyped } from './keys.ts'
import { newAccount, operate } from './operator.ts'
import { nameOf, pathOf, routes } from './routes.ts'
import { type Server, startServer } from './server.ts'
import { type Written, writtenBy } from './server-output.ts'
import { digit } from './tasks.ts'

let server: Server
/** By what it is. */
const secrets = new Map<string, string>()
/** What was answered to whom. */
const answers: Written[] = []
let written: readonly Written[]

/** Sends a request, and keeps the answer; `mayShow` is what it was asked to show. */
async function ask(method: string, path: string, options: RequestOptions = {}, mayShow = '') {
  const answer = await server.request(method, path, options)
  const text = `${answer.status} ${JSON.stringify(answer.headers)} ${answer.text}`
  answers.push({ place: `${method} ${path}`, text: mayShow === '' ? text : text.replaceAll(mayShow, '') })
  return answer
}

/** A new key, made over REST with this `Idempotency-Key`: it is shown once, and at the same call again. */
async function made(name: string, idempotencyKey: string): Promise<{ readonly id: string; readonly key: string }> {
  const call = { json: { name, scopes: ['*'] }, headers: { 'idempotency-key': idempotencyKey } }
  const answer = await server.request('POST', '/v1/api_keys', call)
  assert.equal(answer.status, 201, answer.text)
  const again = await ask('POST', '/v1/api_keys', call, answer.body.key)
  assert.equal(again.body.key, answer.body.key)
  secrets.set(name, answer.body.key)
  return answer.body
}

before(async () => {
  const ofStripe = {
    MILLHAND_STRIPE_KEY: 'sk_test_51HcOfNoAccountAtAll',
    MILLHAND_STRIPE_WEBHOOK_SECRET: 'whsec_ofNoEndpointAtAll',
  }
  // Nobody listens there.
  const payments = { MILLHAND_PAYMENT_PROCESSOR: 'stripe', MILLHAND_STRIPE_URL: 'http://127.0.0.1:1', ...ofStripe }
  server = await startServer({ env: { MILLHAND_LOG_LEVEL: 'debug', ...payments } })
  for (const [name, secret] of Object.entries(ofStripe)) secrets.set(name, secret)
  secrets.set('the live key', server.key)
  secrets.set('the test key', server.testKey)
  const kept = readFileSync(join(server.dataDir, 'secret-key'), 'utf8')
  secrets.set('the secret of the deployment', kept)
  const issuer = createCredentialsIssuer(Buffer.from(kept))
  for (const holder of holders) {
    const { MILLHAND_SERVICE_TOKEN: token, MILLHAND_SECRET_KEY: secret } = credentialsOf(issuer, holder)
    if (token !== undefined) secrets.set(`the token of ${holder}`, token)
    if (secret !== undefined) secrets.set(`the secret of ${holder}`, secret)
  }

  const revoked = await made('a key that is revoked', 'one')
  await ask('DELETE', `/v1/api_keys/${revoked.id}`)
  const good = await made('a key that is good', 'two')
  const rotated = await server.request('POST', `/v1/api_keys/${good.id}/rotate`, { json: {} })
  secrets.set('a key that took the place of another', rotated.body.key)
  const account = await newAccount(server, 'secrets')
  const { key } = await operate(server, 'keys', 'create', 'by the operator', '--account', account)
  secrets.set('a key that the operator made', key)
  secrets.set('a misspelt key', mistyped(server.key))

  const hook = { url: 'https://127.0.0.1:4/hooks', events: ['*'] }
  const webhook = (await server.request('POST', '/v1/webhooks', { json: hook })).body
  secrets.set('the secret of a webhook', webhook.secret)
  const another = await server.request('POST', `/v1/webhooks/${webhook.id}/rotate_secret`, { json: {} })
  secrets.set('its next secret', another.body.secret)
  secrets.set('the secret of callbacks', (await server.request('GET', '/v1/callback_secret')).body.secret)
  await ask('POST', `/v1/webhooks/${webhook.id}/test`, { json: {} })
  await ask('PATCH', `/v1/webhooks/${webhook.id}`, { json: { url: webhook.secret } })
  await ask('GET', `/v1/webhooks/${webhook.secret}`)

  const task = (await ask('POST', '/v1/tasks', { json: digit(3), headers: { 'idempotency-key': 'three' } })).body
  const token = (await server.request('POST', `/v1/tasks/${task.id}/stream_token`)).body.token
  secrets.set('a stream token', token)
  const anonymous = { headers: { authorization: '' } }
  await ask('GET', `/v1/tasks/${task.id}/events?stream_token=${token}`, anonymous)
  await ask('GET', `/v1/tasks/${task.id}/events?stream_token=${token}x`, anonymous)
  await ask('GET', `/v1/tasks/${token}/events?stream_token=${token}`, anonymous)

  for (const secret of Object.values(ofStripe))
    for (const signature of [secret, `t=${secret},v1=${secret}`]) {
      const headers = { 'stripe-signature': signature }
      await ask('POST', '/payments/notifications', { raw: JSON.stringify({ type: secret }), headers })
    }

  const presented = [server.key, server.testKey, revoked.key, good.key, rotated.body.key, key, mistyped(server.key)]
  for (const key of presented) {
    for (const route of routes) {
      const path = pathOf(route, Object.fromEntries(route.pathFields.map(field => [field, 'nothing'])))
      if (!shows.has(nameOf(route))) {
        await ask(route.method, path, {
          headers: { authorization: `Bearer ${key}` },
          ...(route.body && { json: {} }),
        })
      }
    }
  }
  for (const each of [good.key, revoked.key, key, mistyped(server.key)]) await misplaced(each)
  await server.stop()
  written = await writtenBy(server)
})
after(() => server.stop())

/** What makes or shows a secret that was not there before. */
const shows = new Set(['POST /v1/api_keys', 'GET /v1/callback_secret', 'POST /v1/callback_secret/rotate'])

/** Sends a key wherever it does not belong. */
async function misplaced(key: string): Promise<void> {
  for (const path of [
    ...[percentEncoded(key), hidden(key)].flatMap(written => [
      `/${written}`,
      `/v1/${written}`,
      `/v1/tasks/${written}`,
      `/v1/tasks/${written}/nothing`,
      `/v1/tasks?status=${written}`,
    ]),
    `/${key}`,
    `/v1/${key}`,
    `/v1/tasks/${key}`,
    `/v1/tasks/${key}/events`,
    `/v1/files/${key}/content`,
    `/v1/api_keys/${key}`,
    `/v1/tasks?${key}=1`,
    `/v1/tasks?limit=${key}`,
    `/v1/tasks?cursor=${key}`,
    `/v1/tasks?status=${key}`,
    `/v1/tasks?metadata[${key}]=x`,
    `/v1/tasks?created_after=${key}`,
    `/v1/tasks?include=${key}`,
    `/v1/usage?group_by=${key}`,
    `/status?key=${key}`,
  ]) {
    await ask('GET', path)
    await ask('GET', path, { headers: { authorization: '' } })
  }
  for (const json of [
    { type: key },
    { [key]: 1 },
    { ...digit(1), model: key },
    { ...digit(1), input_file: key },
    { ...digit(1), priority: key },
    { ...digit(1), metadata: { x: { [key]: key } } },
    { ...digit(1), parameters: key },
  ]) {
    await ask('POST', '/v1/tasks', { json })
  }
  await ask('POST', '/v1/tasks', { raw: `{"type": ${key}}`, headers: { 'content-type': 'application/json' } })
  await ask('POST', '/v1/tasks', { raw: '{}', headers: { 'content-type': key } })
  await ask('POST', '/v1/api_keys', { json: { name: 'x', scopes: [key] } })
  for (const name of [
    'idempotency-key',
    'x-request-id',
    'prefer',
    'if-none-match',
    'accept',
    'last-event-id',
    'range',
  ]) {
    await ask('GET', '/v1/tasks?limit=1', { headers: { [name]: key } })
    await ask('POST', '/v1/tasks', { json: { type: 'nothing' }, headers: { [name]: key } })
  }
  for (const authorization of [
    `Basic ${Buffer.from(`${key}:`).toString('base64')}`,
    key,
    `Bearer ${key} ${key}`,
    `Token ${key}`,
  ]) {
    await ask('GET', '/v1/tasks', { headers: { authorization } })
  }
  await ask('PATCH', `/v1/tasks/${key}`)
}

/** Every byte of it as `%` and two digits, as nobody writes it and everybody may. */
const percentEncoded = (text: string) =>
  [...Buffer.from(text)].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join('')

/** As it is but for the signs by which a key is known. */
const hidden = (key: string) => key.replaceAll('_', '%5F')

/** A secret as it is, as its digest may be written, and as it may stand in a path. */
function formsOf(secret: string): string[] {
  const digest = createHash('sha256').update(secret).digest()
  const digests = [digest.toString('hex'), digest.toString('base64').replace('=', ''), digest.toString('base64url')]
  return [secret, ...digests, percentEncoded(secret), hidden(secret)]
}

/** Where which secret is; `passes` says where it must be. */
function found(places: readonly Written[], passes: (place: string, form: number) => boolean = () => false): string[] {
  const forms = [...secrets].map(([name, secret]) => ({ name, forms: formsOf(secret) }))
  return places.flatMap(({ place, text }) =>
    forms.flatMap(({ name, forms }) => {
      const form = forms.findIndex(form => text.includes(form))
      if (form === -1 || passes(place, form)) return []
      const at = text.indexOf(forms[form] as string)
      return [`${name} in ${place}: ${text.slice(Math.max(0, at - 200), at + 200)}`]
    }),
  )
}

test('no answer has a secret that it was not made to show', () => {
  assert.deepEqual(found(answers), [])
})

test('nothing that is logged has a secret, also at the level debug', () => {
  const said = written.filter(({ place }) => place.startsWith('standard'))
  assert.ok(said.some(({ text }) => text.includes('"event":"request.answered"')))
  assert.deepEqual(found(said), [])
})

test('no event has a secret', () => {
  const events = written.filter(({ place, text }) => /event|outbox/.test(place) || text.includes('"key.created"'))
  assert.ok(events.some(({ text }) => text.includes('key.revoked')))
  assert.deepEqual(found(events), [])
})

test('a key’s digest is in its own document, and no secret anywhere else', () => {
  const isOwn = (place: string, form: number) => place === 'document in api_keys' && form === 1
  const isKept = (place: string, form: number) => place === 'file secret-key' && form === 0
  assert.deepEqual(
    found(written, (place, form) => isOwn(place, form) || isKept(place, form)),
    [],
  )
  const keys = written.filter(({ place }) => place === 'document in api_keys')
  for (const name of ['a key that is good', 'a key that the operator made']) {
    const [, hex = ''] = formsOf(secrets.get(name) ?? '')
    assert.equal(keys.filter(({ text }) => text.includes(hex)).length, 1, name)
  }
})
