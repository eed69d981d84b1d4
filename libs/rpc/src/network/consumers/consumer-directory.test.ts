import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { codeOf, createApiKey, createConsumerSecret, metadataOf } from '@millhand/api'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { ApiKeyService } from '@millhand/api/gen/millhand/identity/v1/api_key_service_pb.ts'
import { PlanService } from '@millhand/api/gen/millhand/identity/v1/plan_service_pb.ts'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { manualClock } from '@millhand/process'
import { noon } from '../network.fixture.ts'
import { account, type Credential, credential, openDirectory, otherAccount } from './consumers.fixture.ts'

const { getTask, createTask, watchTask } = ComputeService.method
const target = (id = account, mode?: string) =>
  new Headers({ 'millhand-account': id, ...(mode !== undefined && { 'millhand-mode': mode }) })

/** The code of a refusal; `admitted` where there is none. */
const outcome = (work: Promise<unknown>) => work.then(() => 'admitted', codeOf)

/** Lets the clock go on until the work is done. */
async function passing<T>(clock: ReturnType<typeof manualClock>, work: Promise<T>): Promise<T> {
  let isDone = false
  const end = () => {
    isDone = true
  }
  work.then(end, end)
  while (!isDone) {
    await new Promise(resolve => setImmediate(resolve))
    await clock.advance(10)
  }
  return await work
}

describe('a directory of consumers', () => {
  it('gives the principal that the gateway makes of an API key', async () => {
    const one = credential({ scopes: ['tasks:read', 'tasks:write'] })
    const { directory } = openDirectory([credential({ id: 'consumer_2' }), one])
    assert.deepEqual(await directory.admit(one.secret, getTask, target(account, 'test')), {
      accountId: account,
      mode: 'test',
      tenant: `${account}/test`,
      scopes: new Set(['tasks:read', 'tasks:write']),
      keyId: 'consumer_1',
      plans: { compute: 'growth', developer: 'free', workforce: 'starter' },
    })
    assert.equal((await directory.admit(one.secret, getTask, target())).mode, 'live')
  })

  const cases: readonly [what: string, Partial<Credential>, Headers, expected: string][] = [
    ['revoked', { revoked: true }, target(), 'revoked_credentials'],
    ['expired', { expiresAt: noon }, target(), 'expired_credentials'],
    ['not expired yet', { expiresAt: noon + 1 }, target(), 'admitted'],
    ['for the method alone', { methods: ['millhand.compute.v1.ComputeService/GetTask'] }, target(), 'admitted'],
    [
      'for another method',
      { methods: ['millhand.compute.v1.ComputeService/ListTasks'] },
      target(),
      'insufficient_scope',
    ],
    ['for a service of like name', { methods: ['millhand.compute.v1.Compute/*'] }, target(), 'insufficient_scope'],
    ['for no method', { methods: [] }, target(), 'insufficient_scope'],
    ['for another account', { accounts: [otherAccount] }, target(), 'insufficient_scope'],
    ['for the account in the other mode', { accounts: [`${account}/test`] }, target(), 'insufficient_scope'],
    ['for the account in this mode', { accounts: [`${account}/test`] }, target(account, 'test'), 'admitted'],
    ['for all accounts', { accounts: ['*'] }, target(otherAccount), 'admitted'],
    ['for all accounts in the other mode', { accounts: ['*/live'] }, target(account, 'test'), 'insufficient_scope'],
    [
      'for all, with an account that there is not',
      { accounts: ['*'] },
      target(`${account.slice(0, -1)}0`),
      'not_found',
    ],
    ['with no account', {}, new Headers(), 'missing_parameter'],
    ['with what is no account', {}, target('acct_1/../x'), 'invalid_parameter'],
    ['with an entry of the list as account', { accounts: ['*'] }, target('*'), 'invalid_parameter'],
    ['with an odd mode', {}, target(account, 'LIVE'), 'invalid_parameter'],
  ]
  for (const [what, more, header, expected] of cases)
    it(`judges a credential ${what}: ${expected}`, async () => {
      const one = credential(more)
      const { directory } = openDirectory([one])
      assert.equal(await outcome(directory.admit(one.secret, getTask, header)), expected)
    })

  it('never allows what services call each other by, though a credential names it', async () => {
    const one = credential({ methods: ['millhand.lease.v1.LeaseService/*'] })
    const { directory } = openDirectory([one])
    assert.equal(await outcome(directory.admit(one.secret, LeaseService.method.claim, target())), 'insufficient_scope')
  })

  it('never allows what makes keys or changes plans, though a credential names it', async () => {
    const methods = ['millhand.identity.v1.ApiKeyService/*', 'millhand.identity.v1.PlanService/*']
    const one = credential({ methods })
    const { directory } = openDirectory([one])
    for (const method of [ApiKeyService.method.createApiKey, PlanService.method.updatePlans])
      assert.equal(await outcome(directory.admit(one.secret, method, target())), 'insufficient_scope')
  })

  it('says which method and which account it refuses', async () => {
    const one = credential({ methods: ['millhand.compute.v1.ComputeService/GetTask'] })
    const { directory } = openDirectory([one])
    const refused = async (work: Promise<unknown>) => work.then(() => assert.fail('it was admitted'), metadataOf)
    assert.deepEqual(await refused(directory.admit(one.secret, createTask, target())), {
      method: 'millhand.compute.v1.ComputeService/CreateTask',
    })
    assert.deepEqual(await refused(directory.admit(one.secret, getTask, target(otherAccount))), {
      account: otherAccount,
      mode: 'live',
    })
  })

  it('knows a consumer from when it is made, and asks seldom for one that nobody made', async () => {
    const clock = manualClock(noon)
    const { directory, identity } = openDirectory([], clock)
    const unknown = await passing(
      clock,
      Promise.all(
        Array.from({ length: 1_000 }, () => outcome(directory.admit(createConsumerSecret(), getTask, target()))),
      ),
    )
    assert.deepEqual([...new Set(unknown)], ['invalid_credentials'])
    assert.ok(identity.requests.length <= 2, `${identity.requests.length} requests`)
    const one = credential()
    identity.credentials = [one]
    assert.equal(await passing(clock, outcome(directory.admit(one.secret, getTask, target()))), 'admitted')
    const before = identity.requests.length
    for (const text of ['mhc_', `${one.secret}x`, createApiKey('live'), one.secret.slice(0, -1)])
      assert.equal(await outcome(directory.admit(text, getTask, target())), 'invalid_credentials')
    assert.equal(identity.requests.length, before)
  })

  it('refuses a credential that is revoked while a call waits for its account', async () => {
    const one = credential({ accounts: ['*'] })
    const { directory, identity } = openDirectory([one])
    await directory.recognize(one.secret)
    identity.credentials = [{ ...one, revoked: true, methods: [], accounts: [] }]
    assert.equal(await outcome(directory.admit(one.secret, getTask, target())), 'revoked_credentials')
  })

  it('learns of an account also while calls for more accounts than one request takes are open', async () => {
    const one = credential({ accounts: ['*'] })
    const { directory, identity } = openDirectory([one])
    const caller = await directory.admit(one.secret, watchTask, target())
    for (let n = 0; n <= 1_000; n++) directory.watch({ ...caller, accountId: `acct_${n}` }, watchTask, () => {})
    assert.equal(await outcome(directory.admit(one.secret, getTask, target(otherAccount))), 'admitted')
    assert.equal(identity.requests.at(-1)?.accountIds.length, 1_000)
  })

  it('goes on for a minute while identity is away, and then says so', async () => {
    const clock = manualClock(noon)
    const one = credential()
    const { directory, identity, lines } = openDirectory([one], clock)
    await directory.admit(one.secret, getTask, target())
    identity.isAway = true
    const ending = new AbortController()
    const running = directory.run(ending.signal)
    await clock.advance(59_000)
    assert.equal(await outcome(directory.admit(one.secret, getTask, target())), 'admitted')
    assert.equal(
      await passing(clock, outcome(directory.admit(createConsumerSecret(), getTask, target()))),
      'unavailable',
    )
    await clock.advance(3_000)
    assert.equal(await passing(clock, outcome(directory.admit(one.secret, getTask, target()))), 'unavailable')
    identity.isAway = false
    await clock.advance(5_000)
    assert.equal(await outcome(directory.admit(one.secret, getTask, target())), 'admitted')
    assert.equal(lines.filter(line => line.includes('consumers.unknown')).length, 1)
    assert.equal(lines.filter(line => line.includes('consumers.known')).length, 1)
    assert.ok(!lines.join().includes(one.secret))
    ending.abort()
    await running
  })

  it('ends calls that are open when their credential or their account stops, and no others', async () => {
    const clock = manualClock(noon)
    const expiring = credential({ id: 'consumer_expiring', expiresAt: noon + 30_000 })
    const one = credential()
    const wide = credential({ id: 'consumer_wide', accounts: ['*'] })
    const { directory, identity } = openDirectory([expiring, one, wide], clock)
    const ends: [string, string][] = []
    const watch = async ({ secret, id }: Credential, of = account) => {
      const caller = await passing(clock, directory.admit(secret, watchTask, target(of)))
      return directory.watch(caller, watchTask, reason => ends.push([id, codeOf(reason)]))
    }
    await watch(expiring)
    await watch(one)
    await watch(wide, otherAccount)
    const over = await watch(one)
    over()
    const ending = new AbortController()
    const running = directory.run(ending.signal)
    await clock.advance(10_000)
    assert.equal(ends.length, 0)
    identity.credentials = [expiring, { ...one, revoked: true, methods: [], accounts: [] }, wide]
    await clock.advance(5_000)
    assert.deepEqual(ends.splice(0), [['consumer_1', 'revoked_credentials']])
    identity.suspended = [otherAccount]
    await clock.advance(5_000)
    assert.deepEqual(
      [...new Set(ends.splice(0).map(String))].filter(each => each.includes('wide')),
      ['consumer_wide,account_suspended'],
    )
    await clock.advance(20_000)
    assert.ok(ends.map(String).includes('consumer_expiring,expired_credentials'))
    ending.abort()
    await running
  })

  it('ends calls whose credential can’t be checked for a minute', async () => {
    const clock = manualClock(noon)
    const one = credential()
    const { directory, identity } = openDirectory([one], clock)
    const caller = await directory.admit(one.secret, watchTask, target())
    const ends: string[] = []
    directory.watch(caller, watchTask, reason => ends.push(codeOf(reason)))
    identity.isAway = true
    const ending = new AbortController()
    const running = directory.run(ending.signal)
    await clock.advance(58_000)
    assert.equal(ends.length, 0)
    await clock.advance(10_000)
    assert.equal(ends[0], 'unavailable')
    ending.abort()
    await running
  })

  it('tells identity which consumers called, and asks for the accounts of the last minute', async () => {
    const clock = manualClock(noon)
    const one = credential()
    const { directory, identity } = openDirectory([one], clock)
    const ending = new AbortController()
    const running = directory.run(ending.signal)
    await clock.advance(1_000)
    await directory.admit(one.secret, getTask, target())
    await clock.advance(5_000)
    const told = identity.requests.flatMap(({ uses }) => uses.map(({ consumerId }) => consumerId))
    assert.deepEqual(told, ['consumer_1'])
    assert.deepEqual(identity.requests.at(-1)?.accountIds, [account])
    await clock.advance(120_000)
    assert.deepEqual(identity.requests.at(-1)?.accountIds, [])
    ending.abort()
    await running
  })
})
