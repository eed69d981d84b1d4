import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '@millhand/process'
import { random } from '../random.ts'
import { startGateways, startOwner } from './gateways.ts'

const PLAN = 100
/** What passes by each gateway in the minute before the owner goes: no more than the plan together. */
const LOADS = [57, 30, 10, 1]
const PART = PLAN / LOADS.length
const window = { name: 'acct_1/live/compute', family: 'compute', limit: PLAN } as const
const EVERY_MS = 100

test('while the owner is away each gateway goes on with its last share, and after a minute with its part of the plan', {
  timeout: 300_000,
}, async () => {
  const clock = manualClock()
  const owner = startOwner(clock)
  const gateways = startGateways(clock, random(1), owner, LOADS.length)

  /** Sends to each gateway, for so long, as many as are `wanted` of it; gives what passes by each. */
  async function send(ms: number, wanted: (sent: readonly number[], gateway: number) => boolean): Promise<number[]> {
    const passes = LOADS.map(() => 0)
    const sent = LOADS.map(() => 0)
    for (let past = 0; past < ms; past += EVERY_MS) {
      gateways.all.forEach(({ limiter }, gateway) => {
        if (!wanted(sent, gateway)) return
        sent[gateway] = (sent[gateway] as number) + 1
        void Promise.resolve(limiter.take(window)).then(taken => {
          if (taken.passes) passes[gateway] = (passes[gateway] as number) + 1
        })
      })
      await clock.advance(EVERY_MS)
    }
    return passes
  }
  const all = () => true

  const before = await send(50_000, (sent, gateway) => (sent[gateway] as number) < (LOADS[gateway] as number))
  assert.deepEqual(before, LOADS)
  owner.isSilent = true
  // One who waits for the owner waits for 250 ms: the minute begins when the first one has.
  await send(1_000, (sent, gateway) => gateway === 3 && sent[gateway] === 0)
  assert.equal(gateways.logged.get('rate.owner_away'), LOADS.length)
  const minute = await send(59_000, all)
  assert.deepEqual(minute, [57, 30, PART, PART - 1])
  assert.deepEqual(
    await send(60_000, all),
    LOADS.map(() => PART),
  )
})
