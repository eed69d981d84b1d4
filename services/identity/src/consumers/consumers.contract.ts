/** What identity promises of internal consumers, on every database. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt'
import { hashOfKey, isConsumerSecret } from '@millhand/api'
import { AccountStatus } from '@millhand/api/gen/millhand/identity/v1/account_pb.ts'
import type { Consumer } from '@millhand/api/gen/millhand/identity/v1/consumer_pb.ts'
import { noAccount } from '@millhand/store'
import { failure, type Identity } from '../identity.fixture.ts'

const DAY_MS = 86_400_000
const methods = ['millhand.compute.v1.ComputeService/*']

export function describeConsumers(open: () => Identity): void {
  describe('consumers', () => {
    let at: Identity
    let account: string
    before(async () => {
      at = open()
      account = await at.newAccount()
    })
    const make = (more: Parameters<Identity['consumers']['createConsumer']>[0] = {}) =>
      at.consumers.createConsumer({ name: 'reports', methods, accounts: [account], scopes: ['tasks:read'], ...more })
    const told = async ({ id }: Pick<Consumer, 'id'>) =>
      (await at.directory.syncConsumers({})).credentials.find(each => each.id === id)
    const listed = async ({ id }: Pick<Consumer, 'id'>) =>
      (await at.consumers.listConsumers({ limit: 1_000 })).consumers.find(each => each.id === id)

    it('are shown their secret once; services are told its digest', async () => {
      const made = await make({ accounts: [`${account}/test`, '*/live'] })
      const { secret = '' } = made
      assert.ok(isConsumerSecret(secret) && secret.startsWith(made.prefix))
      const { sha256, ...rest } = (await told(made)) ?? assert.fail()
      assert.deepEqual(Buffer.from(sha256), Buffer.from(hashOfKey(secret)))
      assert.deepEqual(
        [rest.methods, rest.accounts, rest.scopes, rest.expiresAt, rest.revoked],
        [methods, [`${account}/test`, '*/live'], ['tasks:read'], undefined, false],
      )
      assert.deepEqual({ ...(await listed(made)), secret }, made)
      const stored = await at.collections.consumers.get(noAccount, made.id)
      assert.ok(!JSON.stringify(stored).includes(secret))
    })

    it('are of accounts, methods and scopes that there are, and end in the future', async () => {
      assert.equal(await failure(make({ accounts: ['acct_01jd7x8f2wfyqs3m6k9v0t4b5c'] })), 'not_found')
      assert.equal(await failure(make({ scopes: ['tasks:all'] })), 'invalid_parameter scopes[0]')
      assert.equal(await failure(make({ expiresAt: timestampFromMs(at.clock.now()) })), 'invalid_parameter expires_at')
      for (const entry of ['', 'acct_1', '*/both', `${account}/`, ` ${account}`, `${account}/live/test`])
        assert.equal(await failure(make({ accounts: [entry] })), 'invalid_parameter accounts[0]', entry)
      for (const entry of ['', '*', 'ComputeService/*', '/millhand.compute.v1.ComputeService/*', 'a.B/C*', 'a.B/'])
        assert.equal(await failure(make({ methods: [entry] })), 'invalid_parameter methods[0]', entry)
      assert.equal(await failure(make({ methods: [] })), 'missing_parameter methods')
      assert.equal(await failure(make({ accounts: [] })), 'missing_parameter accounts')
    })

    it('are told as revoked for a month after, without what they could do', async () => {
      const made = await make()
      const { revokedAt } = await at.consumers.revokeConsumer({ id: made.id })
      assert.ok(revokedAt)
      await at.clock.advance(1_000)
      assert.deepEqual((await at.consumers.revokeConsumer({ id: made.id })).revokedAt, revokedAt)
      const { revoked, methods, accounts, scopes } = (await told(made)) ?? assert.fail()
      assert.deepEqual({ revoked, methods, accounts, scopes }, { revoked: true, methods: [], accounts: [], scopes: [] })
      await at.clock.advance(30 * DAY_MS)
      assert.equal(await told(made), undefined)
      assert.ok((await listed(made))?.revokedAt)
      assert.equal(await failure(at.consumers.revokeConsumer({ id: 'consumer_1' })), 'not_found')
    })

    it('are told as expired for a month after', async () => {
      const end = at.clock.now() + DAY_MS
      const made = await make({ expiresAt: timestampFromMs(end) })
      await at.clock.advance(2 * DAY_MS)
      const { expiresAt, methods } = (await told(made)) ?? assert.fail()
      assert.deepEqual([expiresAt && timestampMs(expiresAt), methods], [end, []])
      await at.clock.advance(30 * DAY_MS)
      assert.equal(await told(made), undefined)
    })

    it('are removed 90 days after their end, while those that live stay', async () => {
      const expiresAt = timestampFromMs(at.clock.now() + DAY_MS)
      const [living, revoked, expired] = [await make(), await make(), await make({ expiresAt })]
      await at.consumers.revokeConsumer({ id: revoked.id })
      /** Those that are listed after another pass of the owner. */
      const left = async () => {
        const ending = new AbortController()
        const running = at.service.run(ending.signal)
        ending.abort()
        await running
        return [await listed(living), await listed(revoked), await listed(expired)].map(Boolean)
      }
      await at.clock.advance(90 * DAY_MS - 1)
      assert.deepEqual(await left(), [true, true, true])
      await at.clock.advance(1)
      assert.deepEqual(await left(), [true, false, true])
      await at.clock.advance(DAY_MS)
      assert.deepEqual(await left(), [true, false, false])
      assert.equal(await failure(at.consumers.revokeConsumer({ id: revoked.id })), 'not_found')
    })

    it('have their latest use noted to the minute, never back and never in the future', async () => {
      const made = await make()
      const use = async (ms: number) => {
        await at.directory.syncConsumers({ uses: [{ consumerId: made.id, usedAt: timestampFromMs(ms) }] })
        const { lastUsedAt } = (await listed(made)) ?? assert.fail()
        return lastUsedAt && timestampMs(lastUsedAt)
      }
      const now = at.clock.now()
      const minute = now - (now % 60_000)
      assert.equal(await use(now + 10 * DAY_MS), minute)
      assert.equal(await use(now - DAY_MS), minute)
      await at.directory.syncConsumers({ uses: [{ consumerId: 'consumer_1', usedAt: timestampFromMs(now) }] })
      assert.equal((await told(made))?.revoked, false)
    })

    it('are told the plans and the state of the accounts that they ask for', async () => {
      const other = await at.newAccount()
      await at.accounts.updateAccount({ id: other, status: AccountStatus.SUSPENDED, plans: { compute: 'growth' } })
      const { accounts } = await at.directory.syncConsumers({ accountIds: [account, 'acct_none', other] })
      assert.deepEqual(
        accounts.map(({ id, compute, status }) => [id, compute, status]),
        [
          [account, 'starter', AccountStatus.ACTIVE],
          [other, 'growth', AccountStatus.SUSPENDED],
        ],
      )
    })

    it('are listed from the oldest on, and at most 200 at a time', async () => {
      for (let n = 0; n < 3; n++) await make()
      const ids: string[] = []
      for (let more = true; more; ) {
        const page = await at.consumers.listConsumers({ limit: 2, after: ids.at(-1) ?? '' })
        ids.push(...page.consumers.map(({ id }) => id))
        more = page.hasMore
      }
      assert.ok(ids.length >= 3)
      assert.deepEqual(ids, [...new Set(ids)].sort())
      let last = ''
      const more = async (): Promise<string> => {
        try {
          last = (await make()).id
          return await more()
        } catch (error) {
          return await failure(Promise.reject(error))
        }
      }
      assert.equal(await more(), 'conflict')
      await at.consumers.revokeConsumer({ id: last })
      await make()
    })
  })
}
