/** What identity promises of keys, on every database. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt'
import { createApiKey, hasValidChecksum, modeOfKey } from '@millhand/api'
import type { ApiKey } from '@millhand/api/gen/millhand/identity/v1/api_key_pb.ts'
import { Mode, Order } from '@millhand/api/gen/millhand/type/v1/mode_pb.ts'
import { as, failure, type Identity, noon } from '../identity.fixture.ts'
import { sha256Of } from './api-key-record.ts'

const DAY_MS = 86_400_000

export function describeKeys(open: () => Identity): void {
  describe('keys', () => {
    let at: Identity
    before(() => {
      at = open()
    })

    it('are shown once, and known by their digest and their id from then on', async () => {
      const account = await at.newAccount()
      const made = await at.newKey(account, ['tasks:read', 'keys:write'])
      const { key = '' } = made
      assert.ok(hasValidChecksum(key) && modeOfKey(key) === 'live' && key.startsWith(made.prefix))
      const holder = await at.holderOf(key)
      assert.equal(holder?.key?.id, made.id)
      assert.deepEqual(holder?.key?.scopes, ['tasks:read', 'keys:write'])
      assert.equal(holder?.key?.key, undefined)
      assert.equal(holder?.account?.id, account)
      assert.equal(holder?.computeRequestsPerMinute, 100)
      const keyRef = { accountId: account, mode: Mode.LIVE, keyId: made.id }
      const byId = await at.identity.authenticateKey({ key: { case: 'keyRef', value: keyRef } })
      assert.deepEqual(byId.holder, holder)
      const shown = [
        await at.keys.getApiKey({ id: made.id }, as(account)),
        ...(await at.keys.listApiKeys({}, as(account))).data,
      ]
      for (const each of shown) assert.equal(each.key, undefined)
      assert.equal(await at.holderOf(createApiKey('live')), undefined)
    })

    it('are in the store and in events by neither key nor digest', async () => {
      const account = await at.newAccount()
      const { id, key = '' } = await at.newKey(account)
      await at.keys.rotateApiKey({ id }, as(account))
      await at.keys.revokeApiKey({ id }, as(account))
      const stored = await at.collections.keys.get(`${account}/live`, id)
      assert.ok(stored && !JSON.stringify(stored).includes(key))
      const events = at.events.filter(event => event.key === id)
      assert.deepEqual(
        events.map(({ type, topic }) => [type, topic]),
        ['key.created', 'key.rotated', 'key.revoked'].map(type => [type, 'millhand.identity.v1']),
      )
      for (const { value } of events) assert.ok(!value.includes(key) && !value.includes(stored.sha256))
      const { resource_version, data, account_id } = JSON.parse(events[2]?.value ?? '')
      assert.deepEqual([resource_version, account_id, data.object.id], [3, account, id])
      assert.ok(data.object.revoked_at)
    })

    it('come out the same at every try of an operation, and once', async () => {
      const account = await at.newAccount()
      const operation = '01jd7x8f2wfyqs3m6k9v0t4b5c'
      const tries = await Promise.all([1, 2, 3, 4].map(() => at.newKey(account, ['tasks:read'], operation)))
      assert.equal(new Set(tries.map(each => each.key)).size, 1)
      assert.equal(tries[0]?.id, `key_${operation}`)
      assert.ok(hasValidChecksum(tries[0]?.key ?? ''))
      assert.equal((await at.keys.listApiKeys({}, as(account))).data.length, 1)
      assert.equal((await at.holderOf(tries[0]?.key ?? ''))?.key?.id, `key_${operation}`)
      const elsewhere = await at.newKey(await at.newAccount(), ['tasks:read'], operation)
      assert.notEqual(elsewhere.key, tries[0]?.key)
    })

    it('that another secret would make now are not shown: they would open nothing', async () => {
      const account = await at.newAccount()
      const operation = '01jd7x8f2wfyqs3m6k9v0t4b5h'
      const { id } = await at.newKey(account, ['tasks:read'], operation)
      const key = await at.collections.keys.get(`${account}/live`, id)
      assert.ok(key)
      const document = { ...key, sha256: sha256Of('made with another secret') }
      await at.collections.keys.write({ kind: 'replace', version: key.version, document, events: [] })
      assert.equal(await failure(at.newKey(account, ['tasks:read'], operation)), 'conflict')
    })

    it('are given only scopes that there are, that their maker holds, and an end that is to come', async () => {
      const account = await at.newAccount()
      const make = (scopes: string[], held: string[], expires = noon + 1) =>
        failure(
          at.keys.createApiKey(
            { name: 'mine', scopes, expiresAt: timestampFromMs(expires) },
            as(account, { scopes: held }),
          ),
        )
      assert.equal(await make(['tasks:read', 'tasks:reed'], ['*']), 'invalid_parameter scopes[1]')
      assert.equal(await make(['tasks:read'], ['tasks:write', 'keys:write']), 'insufficient_scope')
      assert.equal(await make(['*'], ['tasks:read', 'tasks:write', 'keys:write']), 'insufficient_scope')
      assert.equal(await make(['tasks:read'], ['*'], at.clock.now()), 'invalid_parameter expires_at')
      assert.equal(await make(['tasks:read'], ['tasks:read'], at.clock.now() + 1), 'made')
      assert.equal(await make(['*'], ['*'], at.clock.now() + 1), 'made')
      const named = (name: string) => failure(at.keys.createApiKey({ name, scopes: ['*'] }, as(account)))
      assert.equal(await named(`the one ${createApiKey('live')}`), 'invalid_parameter name')
      assert.equal(await named(`mh_live_${'0'.repeat(36)}`), 'made')
    })

    it('of another account or mode are unknown', async () => {
      const [account, other] = [await at.newAccount(), await at.newAccount()]
      const { id } = await at.newKey(account)
      for (const who of [as(other), as(account, { mode: 'test' })]) {
        for (const call of [
          at.keys.getApiKey({ id }, who),
          at.keys.revokeApiKey({ id }, who),
          at.keys.rotateApiKey({ id }, who),
        ]) {
          assert.equal(await failure(call), 'not_found')
        }
        assert.deepEqual((await at.keys.listApiKeys({}, who)).data, [])
      }
      assert.equal(await failure(at.newKey('acct_01jd7x8f2wfyqs3m6k9v0t4b5c')), 'not_found')
    })

    it('are listed newest first or oldest first, page by page', async () => {
      const account = await at.newAccount()
      const made: string[] = []
      for (let n = 0; n < 5; n++) made.push((await at.newKey(account)).id)
      await at.clock.advance(3_000)
      for (const order of [Order.DESC, Order.ASC]) {
        const listed: string[] = []
        let cursor: string | undefined
        do {
          const request = { limit: 2, order, ...(cursor !== undefined && { cursor }) }
          const page = await at.keys.listApiKeys(request, as(account))
          listed.push(...page.data.map(({ id }) => id))
          cursor = page.nextCursor
        } while (cursor !== undefined)
        assert.deepEqual(listed, order === Order.ASC ? made : [...made].reverse())
      }
      assert.equal(await failure(at.keys.listApiKeys({ cursor: 'mine' }, as(account))), 'invalid_cursor cursor')
    })

    it('are revoked for good, once, at however many tries', async () => {
      const account = await at.newAccount()
      const { id, key = '' } = await at.newKey(account)
      const before = await at.revision()
      const tries = await Promise.all([1, 2, 3].map(() => at.keys.revokeApiKey({ id }, as(account))))
      for (const each of tries) assert.deepEqual(each, tries[0])
      assert.ok((await at.holderOf(key))?.key?.revokedAt)
      assert.equal(at.events.filter(event => event.key === id && event.type === 'key.revoked').length, 1)
      assert.deepEqual(await at.changesFrom(before), { keyIds: [id], accountIds: [], everything: false })
      assert.equal(await failure(at.keys.rotateApiKey({ id }, as(account))), 'invalid_state')
    })

    it('are replaced by one like them, and live on for the overlap', async () => {
      const account = await at.newAccount()
      const expiresAt = timestampFromMs(at.clock.now() + 10 * DAY_MS)
      const old = await at.keys.createApiKey({ name: 'mine', scopes: ['files:read'], expiresAt }, as(account))
      await at.clock.advance(DAY_MS)
      const before = await at.revision()
      const made = await at.keys.rotateApiKey({ id: old.id, overlapSeconds: 60 }, as(account))
      assert.ok(made.key && made.key !== old.key && made.id !== old.id)
      assert.deepEqual([made.name, made.scopes], ['mine', ['files:read']])
      assert.equal(end(made), at.clock.now() + 10 * DAY_MS, 'it lives as long as the old one was made to')
      assert.equal(end(await at.keys.getApiKey({ id: old.id }, as(account))), at.clock.now() + 60_000)
      assert.deepEqual((await at.changesFrom(before)).keyIds, [old.id])
      await at.keys.rotateApiKey({ id: old.id }, as(account))
      assert.equal(end(await at.keys.getApiKey({ id: old.id }, as(account))), at.clock.now() + 60_000, 'no longer')
      await at.clock.advance(60_000)
      assert.equal(await failure(at.keys.rotateApiKey({ id: old.id }, as(account))), 'invalid_state')
    })

    it('are replaced once by an operation, that may be tried again after the old key’s end', async () => {
      const account = await at.newAccount()
      const { id } = await at.newKey(account)
      const operation = '01jd7x8f2wfyqs3m6k9v0t4b5d'
      const rotate = () => at.keys.rotateApiKey({ id, overlapSeconds: 0 }, as(account, { operation }))
      const first = await rotate()
      await at.clock.advance(5_000)
      assert.equal((await rotate()).key, first.key)
      const { revokedAt, expiresAt } = await at.keys.getApiKey({ id }, as(account))
      assert.deepEqual([revokedAt, expiresAt], [first.createdAt, undefined], 'no clock decides whether it has ended')
      assert.equal((await at.keys.listApiKeys({}, as(account))).data.length, 2)
    })

    it('do not outlive the key that makes them', async () => {
      const account = await at.newAccount()
      const make = (maker: string, expires?: number) =>
        at.keys.createApiKey(
          {
            name: 'mine',
            scopes: ['keys:write'],
            ...(expires !== undefined && { expiresAt: timestampFromMs(expires) }),
          },
          as(account, { keyId: maker }),
        )
      const { id: lasting } = await make('operator')
      const last = at.clock.now() + DAY_MS
      const { id: maker } = await make(lasting, last)
      assert.equal(end(await make(maker)), last)
      assert.equal(end(await make(maker, last)), last)
      assert.equal(await failure(make(maker, last + 1)), 'invalid_parameter expires_at')
      await at.clock.advance(1_000)
      const rotate = (id: string, by: string) => at.keys.rotateApiKey({ id }, as(account, { keyId: by }))
      assert.equal(end(await rotate(lasting, maker)), last)
      assert.equal(end(await rotate(maker, maker)), last, 'nor itself')
      assert.equal(end(await rotate(maker, 'operator')), last + 1_000)
    })

    it('end by the end of all time', async () => {
      const account = await at.newAccount()
      const last = Date.UTC(9999, 11, 31, 23, 59, 59, 999)
      const request = { name: 'mine', scopes: ['keys:write'], expiresAt: timestampFromMs(last) }
      const { id } = await at.keys.createApiKey(request, as(account))
      await at.clock.advance(1_000)
      assert.equal(end(await at.keys.rotateApiKey({ id }, as(account))), last)
    })

    it('go on with a replacement that had died after the new key was there', async () => {
      const account = await at.newAccount()
      const { id } = await at.newKey(account)
      const operation = '01jd7x8f2wfyqs3m6k9v0t4b5e'
      const { write } = at.collections.keys
      at.collections.keys.write = change =>
        change.kind === 'replace' ? Promise.reject(new Error('dead')) : write(change)
      await assert.rejects(at.keys.rotateApiKey({ id, overlapSeconds: 60 }, as(account, { operation })))
      at.collections.keys.write = write
      assert.equal(end(await at.keys.getApiKey({ id }, as(account))), undefined)
      const made = await at.keys.rotateApiKey({ id, overlapSeconds: 60 }, as(account, { operation }))
      const createdAt = made.createdAt ? timestampMs(made.createdAt) : 0
      assert.equal(end(await at.keys.getApiKey({ id }, as(account))), createdAt + 60_000)
      assert.equal((await at.keys.listApiKeys({}, as(account))).data.length, 2)
    })

    it('are replaced only by who holds their scopes', async () => {
      const account = await at.newAccount()
      const { id } = await at.newKey(account, ['files:read'])
      const who = as(account, { scopes: ['keys:write'] })
      assert.equal(await failure(at.keys.rotateApiKey({ id }, who)), 'insufficient_scope')
    })

    it('are shown by an operation to the key alone that began it', async () => {
      const account = await at.newAccount()
      const { id } = await at.newKey(account, ['*'])
      const create = (who: ReturnType<typeof as>) => at.keys.createApiKey({ name: 'mine', scopes: ['*'] }, who)
      const rotate = (who: ReturnType<typeof as>) => at.keys.rotateApiKey({ id }, who)
      for (const [make, operation] of [
        [create, '01jd7x8f2wfyqs3m6k9v0t4b5f'],
        [rotate, '01jd7x8f2wfyqs3m6k9v0t4b5g'],
      ] as const) {
        const { key } = await make(as(account, { operation }))
        for (const scopes of [['keys:write'], ['*']]) {
          const another = as(account, { operation, scopes, keyId: 'key_2' })
          assert.equal(await failure(make(another)), 'idempotency_mismatch')
        }
        assert.equal((await make(as(account, { operation }))).key, key)
      }
    })

    it('remember the minute of their last use, and nobody is told', async () => {
      const account = await at.newAccount()
      const { id } = await at.newKey(account)
      const before = await at.revision()
      const use = async (usedAt: number) => {
        const key = { accountId: account, mode: Mode.LIVE, keyId: id }
        await at.identity.reportKeyUse({ uses: [{ key, usedAt: timestampFromMs(usedAt) }] })
        const { lastUsedAt, resourceVersion } = await at.keys.getApiKey({ id }, as(account))
        return [lastUsedAt && timestampMs(lastUsedAt), resourceVersion]
      }
      const minute = Math.floor(at.clock.now() / 60_000) * 60_000
      assert.deepEqual(await use(minute - 1), [minute - 60_000, 1])
      assert.deepEqual(await use(minute + DAY_MS), [minute, 1], 'none is to come')
      assert.deepEqual(await use(minute - DAY_MS), [minute, 1], 'an older one changes nothing')
      assert.deepEqual(await at.revision(), before)
    })
  })
}

const end = ({ expiresAt }: ApiKey) => expiresAt && timestampMs(expiresAt)
