/** What endpoints and their secrets promise, on every database. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Timestamp, timestampMs } from '@bufbuild/protobuf/wkt'
import { codeOf, createIds } from '@millhand/api'
import { Order } from '@millhand/api/gen/millhand/type/v1/mode_pb.ts'
import {
  SignatureScheme,
  WebhookDisabledReason,
  WebhookStatus,
} from '@millhand/api/gen/millhand/webhook/v1/webhook_pb.ts'
import type { Database } from '@millhand/store'
import { type CallbackSecretRecord, callbackSecretsSpec } from './secret/callback-secret.ts'
import { as, type Endpoints, failure, openEndpoints } from './webhook.fixture.ts'

export interface Opened extends Database {
  close(): Promise<void>
}

const ms = (time: Timestamp | undefined) => (time === undefined ? Number.NaN : timestampMs(time))

const DAY_MS = 86_400_000
const url = 'https://example.com/hooks'
const events = ['task.succeeded', 'workforce.*']
const ids = createIds()

export function describeEndpoints(
  name: string,
  openDatabase: () => Promise<Opened>,
  options: { skip?: string | false } = {},
) {
  describe(`endpoints on ${name}`, options, () => {
    let opened: Opened
    let at: Endpoints
    before(async () => {
      opened = await openDatabase()
      at = openEndpoints(opened)
    })
    after(() => opened?.close())

    const account = () => ids('acct')
    const operation = () => ids('req').slice('req_'.length)
    const eventsOf = (id: string) => at.events.filter(({ key }) => key === id)
    const make = (
      who: string,
      more: Parameters<typeof at.webhooks.createWebhook>[0] = {},
      options: Parameters<typeof as>[1] = {},
    ) => at.webhooks.createWebhook({ url, events, ...more }, as(who, options))

    it('show their secret when they are made, and never again', async () => {
      const who = account()
      const made = await make(who, { description: 'mine', metadata: { team: 'a' } })
      assert.match(made.secret ?? '', /^whsec_[A-Za-z0-9+/]{43}=$/)
      assert.equal(made.status, WebhookStatus.ENABLED)
      assert.equal(made.signature, SignatureScheme.V1)
      const { secret, ...rest } = made
      assert.deepEqual(await at.webhooks.getWebhook({ id: made.id }, as(who)), rest)
      const { data } = await at.webhooks.listWebhooks({}, as(who))
      assert.deepEqual(data, [rest])
      assert.deepEqual(
        eventsOf(made.id).map(({ type }) => type),
        ['webhook.created'],
      )
      const stored = JSON.stringify(at.events)
      assert.ok(!stored.includes(String(secret).slice(6)), 'no event shows it')
    })

    it('show the public half of an Ed25519 key, and keep the private one', async () => {
      const { secret } = await make(account(), { signature: SignatureScheme.V1A })
      assert.match(secret ?? '', /^whpk_[A-Za-z0-9+/]{43}=$/)
    })

    it('are made only for an address that can be dialled and types that there are', async () => {
      const who = account()
      assert.equal(await failure(make(who, { url: 'http://10.0.0.1/' })), 'invalid_parameter url')
      const bad = make(who, { events: ['task.succeeded', 'task.sucesed', 'tasks.*'] })
      await assert.rejects(bad, error => {
        assert.equal(codeOf(error), 'invalid_parameter')
        assert.match(String(error), /`events\[1\]`.*task\.succeeded.*`events\[2\]`/s)
        return true
      })
      const { id } = await make(who)
      const misfit = { url: 'http://10.0.0.1/', events: ['task.done'] }
      for (const refused of [make(who, misfit), at.webhooks.updateWebhook({ id, ...misfit }, as(who))]) {
        await assert.rejects(refused, /`url`.*`events\[0\]`/s, 'it hears of everything at once')
      }
      for (const good of ['*', 'task.*', 'webhook.disabled', 'workforce.task.succeeded', 'instance.*', 'key.revoked'])
        assert.equal(await failure(make(who, { events: [good] })), 'made')
      assert.equal(await failure(make(who, { events: ['task*'] })), 'invalid_parameter events[0]')
      assert.equal(await failure(make(who, { events: ['*.succeeded'] })), 'invalid_parameter events[0]')
      assert.equal(await failure(make(who, { events: ['webhook.'] })), 'invalid_parameter events[0]')
    })

    it('are told only of what the key may read that makes them, or changes them', async () => {
      const who = account()
      const scopes = ['webhooks:write', 'tasks:read']
      assert.equal(await failure(make(who, { events: ['task.*', 'key.revoked'] }, { scopes })), 'insufficient_scope')
      assert.equal(await failure(make(who, { events: ['*'] }, { scopes })), 'insufficient_scope')
      assert.equal(await failure(make(who, { events: ['task.*', 'batch.completed'] }, { scopes })), 'made')

      const { id } = await make(who, { events: ['task.*', 'key.*'] })
      const update = (request: Parameters<typeof at.webhooks.updateWebhook>[0]) =>
        failure(at.webhooks.updateWebhook({ id, ...request }, as(who, { scopes })))
      assert.equal(await update({ events: ['task.*', 'key.*', 'webhook.disabled'] }), 'insufficient_scope')
      assert.equal(await update({ url: 'https://elsewhere.com/' }), 'insufficient_scope', 'all of it is told there')
      assert.equal(await update({ events: ['task.*', 'key.revoked'], description: 'less' }), 'made')
      assert.equal(await update({ events: ['task.succeeded'] }), 'made')
      assert.equal(await update({ url: 'https://elsewhere.com/' }), 'made')
    })

    it('are 100 at most in each mode, however many are asked for at once', async () => {
      const who = account()
      const several = await Promise.allSettled(Array.from({ length: 110 }, () => make(who)))
      assert.equal(several.filter(({ status }) => status === 'fulfilled').length, 100)
      const [refused] = several.filter(({ status }) => status === 'rejected')
      assert.equal(codeOf((refused as PromiseRejectedResult).reason), 'invalid_state')
      assert.equal(await failure(make(who, {}, { mode: 'test' })), 'made')
      const { data } = await at.webhooks.listWebhooks({ limit: 2 }, as(who))
      const [one, two] = data
      await at.webhooks.updateWebhook({ id: one?.id ?? '', status: WebhookStatus.DISABLED }, as(who))
      assert.equal(await failure(make(who)), 'invalid_state', 'a disabled one counts')
      await at.webhooks.deleteWebhook({ id: two?.id ?? '' }, as(who))
      assert.equal(await failure(make(who)), 'made')
      assert.equal(await failure(make(who)), 'invalid_state')
    })

    it('are made once by an operation, whose secret is shown again to the key that began it', async () => {
      const who = account()
      const again = { operation: operation() }
      const [first, second] = await Promise.all([make(who, {}, again), make(who, {}, again)])
      assert.deepEqual(second, first)
      assert.deepEqual(await make(who, {}, again), first)
      assert.equal(eventsOf(first.id).length, 1)
      assert.equal(await failure(make(who, {}, { ...again, keyId: 'key_2' })), 'idempotency_mismatch')
      await at.webhooks.rotateWebhookSecret({ id: first.id }, as(who))
      assert.equal(await failure(make(who, {}, again)), 'conflict')
      await at.webhooks.deleteWebhook({ id: first.id }, as(who))
      assert.equal(await failure(make(who, {}, again)), 'not_found', 'it comes to life no more')
    })

    it('are listed by status, in both orders, page by page', async () => {
      const who = account()
      const made = []
      for (let n = 0; n < 5; n++) {
        made.push((await make(who)).id)
        await at.clock.advance(10)
      }
      await at.clock.advance(5_000)
      const [first = '', second = ''] = made
      await at.webhooks.updateWebhook({ id: second, status: WebhookStatus.DISABLED }, as(who))
      await at.webhooks.deleteWebhook({ id: first }, as(who))
      const list = async (request: Parameters<typeof at.webhooks.listWebhooks>[0]) => {
        const found: string[] = []
        for (let cursor: string | undefined; ; ) {
          const page = await at.webhooks.listWebhooks({ ...request, limit: 2, ...(cursor && { cursor }) }, as(who))
          found.push(...page.data.map(({ id }) => id))
          if (!page.hasMore) return found
          cursor = page.nextCursor
        }
      }
      assert.deepEqual(await list({}), made.slice(1).reverse())
      assert.deepEqual(await list({ order: Order.ASC }), made.slice(1))
      assert.deepEqual(await list({ status: WebhookStatus.DISABLED }), [second])
      assert.deepEqual(await list({ status: WebhookStatus.ENABLED }), made.slice(2).reverse())
    })

    it('change by what is set, and by that alone', async () => {
      const who = account()
      const made = await make(who, { description: 'a', metadata: { a: '1', b: '2' } })
      const { id } = made
      const update = (request: Parameters<typeof at.webhooks.updateWebhook>[0]) =>
        at.webhooks.updateWebhook({ id, ...request }, as(who))
      await at.clock.advance(1_000)
      const same = await update({ url, events, status: WebhookStatus.ENABLED, metadata: { a: '1', c: '' } })
      assert.equal(same.resourceVersion, 1)
      assert.deepEqual(same.updatedAt, made.updatedAt)
      assert.equal(eventsOf(id).length, 1, 'nobody is told of what changes nothing')

      const changed = await update({ url: `${url}/2`, events: ['*'], metadata: { a: '', c: '3' } })
      assert.equal(changed.resourceVersion, 2)
      assert.deepEqual([changed.url, changed.events], [`${url}/2`, ['*']])
      assert.deepEqual(changed.metadata, { b: '2', c: '3' })
      assert.equal(changed.description, 'a')
      assert.equal(ms(changed.updatedAt), ms(made.createdAt) + 1_000)

      const off = await update({ status: WebhookStatus.DISABLED })
      assert.equal(off.disabledReason, WebhookDisabledReason.REQUESTED)
      assert.equal(ms(off.disabledAt), at.clock.now())
      const on = await update({ status: WebhookStatus.ENABLED })
      assert.deepEqual([on.disabledReason, on.disabledAt, on.resourceVersion], [undefined, undefined, 4])
      const types = ['created', 'updated', 'disabled', 'enabled'].map(word => `webhook.${word}`)
      assert.deepEqual(
        eventsOf(id).map(({ type }) => type),
        types,
      )

      assert.equal(await failure(update({ url: 'http://10.0.0.1/' })), 'invalid_parameter url')
      assert.equal(await failure(update({ events: ['nothing'] })), 'invalid_parameter events[0]')
      const labels = Object.fromEntries(Array.from({ length: 15 }, (_, n) => [`more_${n}`, 'x']))
      assert.equal(await failure(update({ metadata: labels })), 'invalid_parameter metadata')
    })

    it('stay the same where nothing is set, whatever they were made with', async () => {
      const who = account()
      const { id } = await make(who)
      for (const request of [{}, { url }, { status: WebhookStatus.ENABLED }]) {
        await at.clock.advance(1_000)
        assert.equal((await at.webhooks.updateWebhook({ id, ...request }, as(who))).resourceVersion, 1)
      }
      assert.equal(eventsOf(id).length, 1)
    })

    it('are deleted once, and answer the same for a day', async () => {
      const who = account()
      const { id } = await make(who)
      for (let times = 0; times < 2; times++) {
        assert.equal((await at.webhooks.deleteWebhook({ id }, as(who))).deleted, true)
      }
      assert.deepEqual(
        eventsOf(id).map(({ type }) => type),
        ['webhook.created', 'webhook.deleted'],
      )
      assert.equal(await failure(at.webhooks.getWebhook({ id }, as(who))), 'not_found')
      assert.equal(await failure(at.webhooks.updateWebhook({ id, url }, as(who))), 'not_found')
      assert.equal(await failure(at.webhooks.rotateWebhookSecret({ id }, as(who))), 'not_found')
      assert.equal(await failure(at.webhooks.deleteWebhook({ id: ids('wh') }, as(who))), 'not_found')
    })

    it('have two secrets for a day after a rotation, and never three', async () => {
      const who = account()
      const { id, secret } = await make(who)
      const rotate = (options?: Parameters<typeof as>[1]) => at.webhooks.rotateWebhookSecret({ id }, as(who, options))
      const again = { operation: operation() }
      const rotated = await rotate(again)
      assert.notEqual(rotated.secret, secret)
      assert.equal(ms(rotated.previousSecretExpiresAt), at.clock.now() + DAY_MS)
      assert.deepEqual(await rotate(again), rotated, 'the same operation rotates once')
      assert.equal(await failure(rotate({ ...again, keyId: 'key_2' })), 'idempotency_mismatch')
      assert.deepEqual(
        eventsOf(id).map(({ type }) => type),
        ['webhook.created', 'webhook.secret_rotated'],
      )
      await at.clock.advance(DAY_MS)
      const { previousSecretExpiresAt } = await at.webhooks.getWebhook({ id }, as(who))
      assert.equal(previousSecretExpiresAt, undefined)
    })

    it('are unknown to other accounts and to the other mode', async () => {
      const who = account()
      const { id } = await make(who)
      for (const other of [as(account()), as(who, { mode: 'test' })]) {
        assert.equal(await failure(at.webhooks.getWebhook({ id }, other)), 'not_found')
        assert.equal(await failure(at.webhooks.updateWebhook({ id, url }, other)), 'not_found')
        assert.equal(await failure(at.webhooks.rotateWebhookSecret({ id }, other)), 'not_found')
        assert.equal(await failure(at.webhooks.deleteWebhook({ id }, other)), 'not_found')
        assert.deepEqual((await at.webhooks.listWebhooks({}, other)).data, [])
      }
    })

    it('leave callbacks to a secret of the account, one in each mode', async () => {
      const who = account()
      const get = (options?: Parameters<typeof as>[1]) => at.webhooks.getCallbackSecret({}, as(who, options))
      const [first, same] = await Promise.all([get(), get()])
      assert.match(first.secret, /^whsec_/)
      assert.deepEqual(same, first)
      assert.notEqual((await get({ mode: 'test' })).secret, first.secret)
      const again = { operation: operation() }
      const rotate = (options?: Parameters<typeof as>[1]) => at.webhooks.rotateCallbackSecret({}, as(who, options))
      const rotated = await rotate(again)
      assert.notEqual(rotated.secret, first.secret)
      assert.equal(ms(rotated.previousSecretExpiresAt), at.clock.now() + DAY_MS)
      assert.deepEqual(await rotate(again), rotated)
      assert.equal(await failure(rotate({ ...again, keyId: 'key_2' })), 'idempotency_mismatch')
      assert.deepEqual(await get(), rotated)
    })

    it('say that a secret of callbacks can’t be read, until it is rotated', async () => {
      const who = account()
      const sealed = { secret: 'sealed with another key', secret_made_by: '' }
      const document = { tenant: `${who}/live`, id: 'callback', ...sealed, created_at: 0 }
      const secrets = opened.collection<CallbackSecretRecord>(callbackSecretsSpec)
      await secrets.write({ kind: 'insert', document, events: [] })
      const get = () => at.webhooks.getCallbackSecret({}, as(who))
      assert.equal(await failure(get()), 'invalid_state')
      const rotated = await at.webhooks.rotateCallbackSecret({}, as(who))
      assert.deepEqual(await get(), rotated)
    })
  })
}
