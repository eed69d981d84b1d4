/** What identity promises on every database: keys, accounts, changes, quotas. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { codeOf, createApiKey, createIds, retryAfterOf } from '@millhand/api'
import { AccountStatus } from '@millhand/api/gen/millhand/identity/v1/account_pb.ts'
import type { DailyPlace } from '@millhand/api/gen/millhand/identity/v1/quota_service_pb.ts'
import { manualClock } from '@millhand/process'
import type { Database } from '@millhand/store'
import { describeConsumers } from './consumers/consumers.contract.ts'
import { as, failure, type Identity, openIdentity } from './identity.fixture.ts'
import { bootstrapAccountId, ensureFirstAccount, enterprise } from './identity.ts'
import { describeKeys } from './keys/keys.contract.ts'

export interface Opened extends Database {
  close(): Promise<void>
}

const DAY_MS = 86_400_000

export function describeIdentity(name: string, openDatabase: () => Promise<Opened>): void {
  describe(`identity on ${name}`, () => {
    let opened: Opened
    let at: Identity
    before(async () => {
      opened = await openDatabase()
      at = openIdentity(opened)
    })
    after(() => opened.close())

    describeKeys(() => at)
    describeConsumers(() => at)

    it('removes idempotency records that have expired while it runs', { timeout: 120_000 }, async () => {
      const { service, clock, collections } = openIdentity(opened)
      const { idempotency } = collections
      const expired = { fingerprint: '', operation: 'one', state: 'free', holders: 1, expires_at: 1 } as const
      const document = { tenant: 'acct_1/live', id: 'a', ...expired }
      assert.equal((await idempotency.write({ kind: 'insert', document, events: [] })).kind, 'written')
      const ending = new AbortController()
      const running = service.run(ending.signal)
      while ((await idempotency.get('acct_1/live', 'a')) !== undefined) await clock.advance(60_000)
      ending.abort()
      await running
    })

    describe('accounts', () => {
      it('begin with the plans of new accounts, and are told when they change', async () => {
        const { id, plans, status } = await at.accounts.createAccount({ name: 'one', plans: { compute: 'growth' } })
        assert.equal(status, AccountStatus.ACTIVE)
        assert.deepEqual([plans?.compute, plans?.developer, plans?.workforce], ['growth', 'free', 'starter'])
        const { key = '' } = await at.newKey(id)
        const before = await at.revision()
        await at.accounts.updateAccount({ id, status: AccountStatus.SUSPENDED, plans: { compute: 'enterprise' } })
        assert.deepEqual(await at.changesFrom(before), { keyIds: [], accountIds: [id], everything: false })
        const holder = await at.holderOf(key)
        assert.equal(holder?.account?.status, AccountStatus.SUSPENDED)
        assert.equal(holder?.computeRequestsPerMinute, undefined)
        assert.equal(holder?.developerRequestsPerMinute, 100)
        const same = await at.revision()
        const { resourceVersion } = await at.accounts.updateAccount({ id, status: AccountStatus.SUSPENDED })
        assert.equal(resourceVersion, 2)
        assert.deepEqual(await at.revision(), same, 'what changes nothing is not told')
        await at.accounts.updateAccount({ id, status: AccountStatus.ACTIVE, name: 'two' })
        const { name, plans: kept } = await at.accounts.getAccount({ id })
        assert.deepEqual([name, kept?.compute], ['two', 'enterprise'])
      })

      it('have no plan that the file has not, and are not made up', async () => {
        const make = at.accounts.createAccount({ name: 'one', plans: { compute: 'gold', workforce: 'free' } })
        assert.equal(await failure(make), 'invalid_parameter plans.compute')
        const unknown = 'acct_01jd7x8f2wfyqs3m6k9v0t4b5c'
        assert.equal(await failure(at.accounts.getAccount({ id: unknown })), 'not_found')
        assert.equal(await failure(at.accounts.updateAccount({ id: unknown, name: 'x' })), 'not_found')
        const { plans } = await at.accounts.listPlans({})
        assert.ok(
          plans.some(({ family, name, tasksPerDay }) => family === 'workforce' && name && tasksPerDay === 2_000),
        )
      })

      it('are listed from the oldest on', async () => {
        for (let n = 0; n < 3; n++) await at.newAccount()
        const listed: string[] = []
        for (let more = true; more; ) {
          const page = await at.accounts.listAccounts({ limit: 2, after: listed.at(-1) ?? '' })
          listed.push(...page.accounts.map(({ id }) => id))
          more = page.hasMore
        }
        assert.ok(listed.length >= 3)
        assert.deepEqual(listed, [...new Set(listed)].sort())
      })

      it('start with the operator’s own, made once, that keeps what it was given since', async () => {
        const first = { keys: { live: createApiKey('live'), test: createApiKey('test') }, plans: enterprise }
        const ensure = () => ensureFirstAccount({ ...at.collections, clock: at.clock }, first)
        await Promise.all([ensure(), ensure()])
        await at.accounts.updateAccount({ id: bootstrapAccountId, plans: { compute: 'scale' } })
        await ensure()
        for (const mode of ['live', 'test'] as const) {
          const holder = await at.holderOf(first.keys[mode])
          assert.equal(holder?.account?.id, bootstrapAccountId)
          assert.equal(holder?.account?.plans?.compute, 'scale')
          assert.equal(holder?.developerRequestsPerMinute, undefined)
          assert.equal((await at.keys.listApiKeys({}, as(bootstrapAccountId, { mode }))).data.length, 1)
        }
      })
    })

    describe('the daily quota', () => {
      it('is exact for takers at several replicas at once, and refused until midnight', async () => {
        const account = await at.newAccount()
        const ids = createIds({ now: () => at.clock.now() })
        const replicas = [at, openIdentity(opened, at.clock)]
        // A store that is slow may be `unavailable`: then who asks again, with the same id, has one place.
        const take = async (n: number, id = ids('wtask')): Promise<Pick<DailyPlace, 'id' | 'takenAt'>> => {
          const taken = replicas[n % 2]?.quota.takeDaily({ id }, as(account))
          return await (taken as NonNullable<typeof taken>).then(
            ({ takenAt }) => ({ id, ...(takenAt && { takenAt }) }),
            error => (codeOf(error) === 'unavailable' ? take(n, id) : Promise.reject(error)),
          )
        }
        const untilMidnight = () => Math.ceil((DAY_MS - (at.clock.now() % DAY_MS)) / 1_000)
        const atFirst = untilMidnight()
        const results = await taking(
          at,
          Array.from({ length: 110 }, (_, n) => take(n)),
        )
        const refused = results.filter(result => result.status === 'rejected')
        assert.deepEqual(
          refused.map(({ reason }) => codeOf(reason)),
          Array.from({ length: 10 }, () => 'daily_quota_exceeded'),
        )
        for (const { reason } of refused) {
          // The clock went on between the first of them and the last.
          const retryAfter = retryAfterOf(reason) ?? 0
          assert.ok(untilMidnight() <= retryAfter && retryAfter <= atFirst, `${retryAfter} s`)
        }
        const { used, limit, day } = await at.quota.getDaily({}, as(account))
        assert.deepEqual([used, limit], [100, 100])
        const takers = results.flatMap(result => (result.status === 'fulfilled' && result.value ? [result.value] : []))
        assert.equal((await at.quota.getDaily({}, as(account, { mode: 'test' }))).used, 0)
        assert.equal(new Set(takers.map(({ id }) => id)).size, 100)
        const [taker] = takers
        assert.ok(taker)
        const { id, takenAt } = taker
        const again = await at.quota.takeDaily({ id }, as(account))
        assert.equal(again.used, 100, 'who has a place keeps it')
        const release = async (asTaken: DailyPlace['takenAt']) => {
          const times = asTaken ? [asTaken, asTaken] : []
          return (await at.quota.releaseDaily({ day, ids: [id, 'wtask_none'], takenAt: times }, as(account))).used
        }
        assert.equal(await release(takenAt), 100, 'it was taken again since')
        assert.equal(await release(again.takenAt), 99)
        await at.clock.advance(DAY_MS)
        assert.equal((await at.quota.takeDaily({ id: ids('wtask') }, as(account))).used, 1)
        assert.equal(await failure(at.quota.takeDaily({ id: 'wtask_1' }, as(account))), 'invalid_parameter id')
      })

      it('warns its account once at four fifths, and once when nothing is left', async () => {
        const account = await at.newAccount()
        const ids = createIds({ now: () => at.clock.now() })
        const warnings = () =>
          at.events
            .map(({ value, ...event }) => ({ ...event, value: JSON.parse(value) }))
            .filter(({ type, value }) => type === 'quota.warning' && value.account_id === account)
        const day = new Date(at.clock.now()).toISOString().slice(0, 10)
        for (let taken = 0; taken < 79; taken++) await at.quota.takeDaily({ id: ids('wtask') }, as(account))
        assert.deepEqual(warnings(), [])
        for (let taken = 79; taken < 100; taken++) await at.quota.takeDaily({ id: ids('wtask') }, as(account))
        const [first, last, ...more] = warnings()
        assert.deepEqual(more, [])
        assert.equal(first?.topic, 'millhand.identity.v1')
        assert.equal(first?.key, first?.value.data.object.id)
        assert.deepEqual(first?.value.data.object, {
          id: `quota_${account.slice('acct_'.length)}_live_${day}`,
          object: 'quota',
          name: 'workforce_daily',
          day,
          limit: 100,
          used: 80,
          remaining: 20,
          resets_at: new Date(Date.parse(day) + DAY_MS).toISOString(),
          resource_version: 1,
        })
        const { remaining, resource_version } = last?.value.data.object ?? {}
        assert.deepEqual([remaining, resource_version], [0, 2])
      })

      it('counts an id once, in the day of its making, on whichever side of midnight it is tried', async () => {
        const account = await at.newAccount()
        const midnight = Date.UTC(2026, 11, 24)
        const id = createIds({ now: () => midnight - 1 })('wtask')
        for (const now of [midnight, midnight - 1]) {
          const replica = openIdentity(opened, manualClock(now))
          assert.equal((await replica.quota.takeDaily({ id }, as(account))).day, '2026-12-23')
        }
        assert.equal((await at.quota.getDaily({ day: '2026-12-23' }, as(account))).used, 1)
        assert.equal((await at.quota.getDaily({ day: '2026-12-24' }, as(account))).used, 0)
      })
    })
  })
}

/** Lets the clock of the service go on until all have been answered. */
async function taking<T>({ clock }: Identity, calls: readonly (Promise<T> | undefined)[]) {
  const settled = Promise.allSettled(calls)
  let isDone = false
  void settled.then(() => {
    isDone = true
  })
  while (!isDone) {
    await new Promise(resolve => setImmediate(resolve))
    await clock.advance(1)
  }
  return await settled
}
