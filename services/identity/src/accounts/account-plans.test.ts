/** Which plans users may take, and what billing hears of accounts. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import type { HandlerContext } from '@connectrpc/connect'
import { createContextValues } from '@connectrpc/connect'
import { createCursors, createIds } from '@millhand/api'
import { AccountStatus } from '@millhand/api/gen/millhand/identity/v1/account_pb.ts'
import { loadPlans } from '@millhand/plans'
import { manualClock } from '@millhand/process'
import { principalKey } from '@millhand/rpc'
import type { OutboxEvent } from '@millhand/store'
import { openSqlite, type SqliteDatabase } from '@millhand/store/sqlite'
import { failure, noon } from '../identity.fixture.ts'
import { identityCollections } from '../identity.ts'
import type { IdentityDeps } from '../identity-deps.ts'
import { createAccount } from './create-account.ts'
import { updateAccount } from './update-account.ts'
import { updatePlans } from './update-plans.ts'

let folder: string
let db: SqliteDatabase
let deps: IdentityDeps
const events: OutboxEvent[] = []

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millhand-plans-'))
  db = openSqlite({ file: join(folder, 'millhand.db') })
  const shipped = await readFile(new URL('../../../../deploy/plans.yaml', import.meta.url), 'utf8')
  const file = join(folder, 'plans.yaml')
  await writeFile(file, shipped.replace('growth: 0', 'growth: null'))
  const clock = manualClock(noon)
  const collections = identityCollections(db)
  const { accounts } = collections
  const write: typeof accounts.write = change => {
    events.push(...change.events)
    return accounts.write(change)
  }
  deps = {
    ...{ ...collections, accounts: { ...accounts, write }, clock, plans: loadPlans(file) },
    ...{ secrets: () => '', cursors: createCursors(new Uint8Array(32)), ids: createIds({ now: () => clock.now() }) },
  }
})
after(async () => {
  await db.close()
  await rm(folder, { recursive: true })
})

const planNames = { compute: 'starter', developer: 'free', workforce: 'starter' }
const account = async (plans: Partial<typeof planNames> = {}) => {
  const message = { $typeName: 'millhand.identity.v1.Plans' as const, ...planNames, ...plans }
  return createAccount(deps)({ $typeName: 'millhand.identity.v1.CreateAccountRequest', name: 'one', plans: message })
}
const as = (accountId: string, mode: 'live' | 'test' = 'live') => {
  const caller = {
    accountId,
    mode,
    tenant: `${accountId}/${mode}`,
    scopes: new Set(['*']),
    keyId: 'k',
    plans: planNames,
  }
  return { values: createContextValues().set(principalKey, caller) } as HandlerContext
}
const change = (plans: Partial<typeof planNames>, caller: HandlerContext) =>
  updatePlans(deps)({ $typeName: 'millhand.identity.v1.UpdatePlansRequest', ...plans }, caller)

it('a plan without a price, and enterprise, is taken and left by an operator alone', async () => {
  const { id } = await account()
  for (const mode of ['live', 'test'] as const) {
    for (const compute of ['growth', 'enterprise', 'nothing'])
      assert.equal(await failure(change({ compute }, as(id, mode))), 'invalid_parameter compute')
    assert.equal(await failure(change({ workforce: 'enterprise' }, as(id, mode))), 'invalid_parameter workforce')
  }
  const message = '`compute` must be one of starter, scale; `growth` and `enterprise` are given by an operator.'
  await assert.rejects(change({ compute: 'growth' }, as(id)), error => String(error).includes(message))
  assert.equal((await change({ compute: 'scale' }, as(id))).compute, 'scale')

  const { id: agreed } = await account({ compute: 'growth' })
  assert.equal(await failure(change({ compute: 'starter' }, as(agreed))), 'invalid_parameter compute')
  assert.equal((await change({ compute: 'growth', developer: 'pro' }, as(agreed))).developer, 'pro')
})

it('a suspension is an event, and so is its end', async () => {
  const { id } = await account()
  const seen = events.length
  const set = (status: AccountStatus, plans?: { compute: string }) =>
    updateAccount(deps)({
      $typeName: 'millhand.identity.v1.UpdateAccountRequest',
      ...{ id, status },
      ...(plans && { plans: { $typeName: 'millhand.identity.v1.Plans', developer: '', workforce: '', ...plans } }),
    })
  await set(AccountStatus.SUSPENDED)
  await set(AccountStatus.SUSPENDED)
  await set(AccountStatus.ACTIVE, { compute: 'growth' })
  assert.deepEqual(
    events.slice(seen).map(({ type, value }) => {
      const { resource_version, data } = JSON.parse(value)
      return [type, resource_version, data.object.status, data.object.compute]
    }),
    [
      ['account.suspended', 2, 'suspended', 'starter'],
      ['account.plans_changed', 3, 'active', 'growth'],
      ['account.resumed', 3, 'active', 'growth'],
    ],
  )
})
