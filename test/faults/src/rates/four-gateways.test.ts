import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { manualClock } from '@millhand/process'
import { chosenSeed, random } from '../random.ts'
import { type Account, callAtRandom, mostOf, refusedEarly } from './callers.ts'
import { DELAY_MS, type Gateways, type OwnerProcess, startGateways, startOwner } from './gateways.ts'

const seed = chosenSeed()

/** 50 accounts at four gateways for 3 minutes, with faults at moments of the simulated clock. */
async function simulate(faults: (at: Schedule, gateways: Gateways, owner: OwnerProcess) => void) {
  const clock = manualClock()
  const owner = startOwner(clock)
  const gateways = startGateways(clock, random(seed + 1), owner, 4)
  faults((second, fault) => void clock.timer(second * 1000, fault), gateways, owner)
  const plans = Array.from({ length: 50 }, (_, n) => (n === 0 ? 1_000 : ([40, 100, 100, 200][n % 4] as number)))
  const accounts = await callAtRandom({ clock, random: random(seed), gateway: gateways.any }, plans, 180_000)
  return { accounts, logged: gateways.logged }
}

type Schedule = (second: number, fault: () => void) => void

const killAndStart = (at: Schedule, { kill, start }: Gateways) => {
  at(50, kill)
  at(53, start)
  at(100, kill)
  at(101, start)
}

function tell(t: TestContext, accounts: readonly Account[]): number {
  const most = Math.max(...accounts.map(mostOf))
  const early = accounts.flatMap(account => refusedEarly(account, 4 * DELAY_MS))
  const refusals = accounts.flatMap(account => account.refusals)
  const deceived = accounts.flatMap(account => account.deceived)
  t.diagnostic(
    `the most that passed in 60 s: ${(most * 100).toFixed(1)} % of the plan; ${early.length} of ${refusals.length} ` +
      `refusals came early, ${deceived.length} after Retry-After`,
  )
  return most
}

test(`four gateways, one killed and started twice, overshoot by 5 % at most (MILLHAND_SEED=${seed})`, {
  timeout: 1_800_000,
}, async t => {
  const { accounts, logged } = await simulate(killAndStart)
  assert.ok(tell(t, accounts) <= 1.05)
  for (const account of accounts) {
    assert.deepEqual(refusedEarly(account, 4 * DELAY_MS), [], account.name)
    assert.deepEqual(account.deceived, [], account.name)
  }
  assert.ok(accounts.filter(account => mostOf(account) >= 1).length > 25, 'too few came up against their plan')
  assert.equal(logged.get('rate.owner_away') ?? 0, 0)
})

for (const seconds of [10, 90]) {
  test(`while the owner is away for ${seconds} s each gateway goes on by its share (MILLHAND_SEED=${seed})`, {
    timeout: 1_800_000,
  }, async t => {
    const { accounts, logged } = await simulate((at, _, owner) => {
      at(60, () => {
        owner.isSilent = true
      })
      at(60 + seconds, () => {
        owner.isSilent = false
      })
    })
    assert.ok(tell(t, accounts) <= 2)
    assert.equal(logged.get('rate.owner_away'), 4)
    assert.equal(logged.get('rate.owner_back'), 4)
  })
}

test(`a new owner hears from the gateways what has passed (MILLHAND_SEED=${seed})`, { timeout: 1_800_000 }, async t => {
  const { accounts } = await simulate((at, _, owner) => {
    at(60, () => {
      owner.isSilent = true
    })
    at(62, () => {
      owner.restart()
      owner.isSilent = false
    })
  })
  assert.ok(tell(t, accounts) <= 1.25)
})

test(`an owner that is too slow for 20 s is told what passed without it (MILLHAND_SEED=${seed})`, {
  timeout: 1_800_000,
}, async t => {
  const { accounts } = await simulate((at, _, owner) => {
    at(60, () => {
      owner.slowMs = 400
    })
    at(80, () => {
      owner.slowMs = 0
    })
  })
  assert.ok(tell(t, accounts) <= 1.25)
})
