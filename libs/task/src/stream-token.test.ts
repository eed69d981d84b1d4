import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createContextValues, type HandlerContext } from '@connectrpc/connect'
import { codeOf } from '@millhand/api'
import { Mode } from '@millhand/api/gen/millhand/type/v1/mode_pb.ts'
import { manualClock } from '@millhand/process'
import { principalKey } from '@millhand/rpc'
import type { Errand } from './errand.fixture.ts'
import { createStreamToken } from './rpc/create-stream-token.ts'
import { redeemStreamToken } from './rpc/redeem-stream-token.ts'
import { createStreamTokens } from './stream-token.ts'
import type { TaskDeps } from './task-deps.ts'

const start = Date.UTC(2026, 10, 21)

/** The two methods over one task, `task_1`, of the account `acct_1`. */
function methods() {
  const clock = manualClock(start)
  const deps = {
    tasks: {
      get: async (tenant: string, id: string) => (tenant === 'acct_1/test' && id === 'task_1' ? { id } : undefined),
    },
    streamTokens: createStreamTokens(new Uint8Array(32), clock),
  } as unknown as TaskDeps<Errand>
  const as = (accountId: string) => {
    const principal = {
      accountId,
      mode: 'test',
      tenant: `${accountId}/test`,
      scopes: new Set<string>(),
      keyId: 'key_1',
      plans: { compute: 'enterprise', developer: 'enterprise', workforce: 'enterprise' },
    } as const
    return { values: createContextValues().set(principalKey, principal) } as HandlerContext
  }
  const make = (id: string, account = 'acct_1') => createStreamToken(deps)({ id }, as(account))
  const redeem = (token: string, taskId: string) => redeemStreamToken(deps)({ token, taskId })
  return { clock, make, redeem }
}

const failsWith = (code: string) => (error: unknown) => codeOf(error) === code

test('a token acts as who had it made, for that task, for 15 minutes', async () => {
  const { clock, make, redeem } = methods()
  const { token, taskId, expiresAt } = await make('task_1')
  assert.equal(taskId, 'task_1')
  assert.equal(Number(expiresAt.seconds) * 1000, start + 900_000)
  await clock.advance(899_999)
  assert.deepEqual(redeem(token, 'task_1'), { accountId: 'acct_1', mode: Mode.TEST, keyId: 'key_1' })
  await clock.advance(1)
  assert.throws(() => redeem(token, 'task_1'), failsWith('expired_credentials'))
})

test('it is good for no other task, and nobody can change it or make one', async () => {
  const { make, redeem } = methods()
  const { token } = await make('task_1')
  for (const [other, task] of [
    [token, 'task_2'],
    [`${token}A`, 'task_1'],
    [token.slice(0, -2), 'task_1'],
    [token.slice('mht_'.length), 'task_1'],
    ['', 'task_1'],
    [createStreamTokens(new Uint8Array(32).fill(1), { now: () => start }).make(nobody, 'task_1').token, 'task_1'],
  ] as const) {
    assert.throws(() => redeem(other, task), failsWith('invalid_credentials'))
  }
})

const nobody = {
  accountId: 'acct_1',
  mode: 'live',
  tenant: 'acct_1/live',
  scopes: new Set<string>(),
  keyId: 'key_1',
  plans: { compute: 'enterprise', developer: 'enterprise', workforce: 'enterprise' },
} as const

test('none is made for a task that is not there, or is another account’s', async () => {
  const { make } = methods()
  await assert.rejects(make('task_2'), failsWith('not_found'))
  await assert.rejects(make('task_1', 'acct_2'), failsWith('not_found'))
})
