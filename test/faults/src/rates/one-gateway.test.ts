import assert from 'node:assert/strict'
import { test } from 'node:test'
import { localLimiter } from '@millhand/gateway'
import { manualClock } from '@millhand/process'
import { chosenSeed, random } from '../random.ts'
import { callAtRandom, mostOf, refusedEarly } from './callers.ts'

const seed = chosenSeed()

test(`one gateway lets pass the plan and no more (MILLHAND_SEED=${seed} replays it)`, {
  timeout: 1_800_000,
}, async () => {
  const clock = manualClock()
  const gateway = { limiter: localLimiter(clock), isAlive: true }
  const plans = Array.from({ length: 50 }, (_, n) => [40, 100, 100, 200][n % 4] as number)
  const accounts = await callAtRandom({ clock, random: random(seed), gateway: () => gateway }, plans, 180_000)
  for (const account of accounts) {
    assert.ok(mostOf(account) <= 1, `${account.name}: ${mostOf(account)} of its plan`)
    assert.deepEqual(refusedEarly(account, 0), [], account.name)
    assert.deepEqual(account.deceived, [], account.name)
  }
  assert.ok(accounts.filter(account => mostOf(account) === 1).length > 25, 'too few came up against their plan')
})
