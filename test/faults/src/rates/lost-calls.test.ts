import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { RateService } from '@millhand/api/gen/millhand/identity/v1/rate_service_pb.ts'
import { type RateLimiter, sharedLimiter } from '@millhand/gateway'
import { manualClock } from '@millhand/process'
import { createLog } from '@millhand/telemetry'
import fc from 'fast-check'
import { startOwner } from './gateways.ts'

const PLAN = 100
const window = { name: 'acct_1/live/compute', family: 'compute', limit: PLAN } as const
/** A call's deadline: it is taken within that or not at all. */
const DEADLINE_MS = 2_000
/** By so much a place may leave the window too early: one ahead is used within a second, what passed is told by seconds. */
const EARLY_MS = 1_500
/** By so much too late: what passed is told by seconds, and heard of later. */
const LATE_MS = 500 + DEADLINE_MS

/** What becomes of a call: when the owner takes it, if ever, and when the gateway has its answer, or none for ever. */
interface Fate {
  readonly takenMs?: number
  readonly endsMs: number
  readonly isAnswered: boolean
}

const never = new AbortController().signal
const good: Fate = { takenMs: 1, endsMs: 2, isAnswered: true }
const someMs = fc.oneof(fc.constantFrom(1, 240, 260), fc.nat(DEADLINE_MS))
const fate: fc.Arbitrary<Fate> = fc.oneof(
  { weight: 2, arbitrary: fc.constant(good) },
  { weight: 1, arbitrary: fc.record({ endsMs: someMs, isAnswered: fc.constant(false) }) },
  { weight: 2, arbitrary: fc.record({ takenMs: someMs, endsMs: someMs, isAnswered: fc.constant(false) }) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(someMs, someMs)
      .map(([a, b]) => ({ takenMs: Math.min(a, b), endsMs: Math.max(a, b), isAnswered: true })),
  },
)
const step = fc.oneof(
  fc.record({ requests: fc.integer({ min: 1, max: 60 }), gateway: fc.nat(2), weight: fc.constantFrom(1, 1, 1, 4, 16) }),
  fc.record({ waitMs: fc.oneof(fc.nat(300), fc.nat(6_000)) }),
)
type Step =
  | { readonly requests: number; readonly gateway: number; readonly weight: number }
  | { readonly waitMs: number }

/** Gateways that send requests, with calls that meet these fates in turn; then the network is good again. */
async function live(gateways: number, steps: readonly Step[], fates: readonly Fate[]) {
  const clock = manualClock()
  const life = new AbortController()
  const owner = createClient(RateService, startOwner(clock).transport)
  const toCome = [...fates]
  const log = createLog({ level: 'error' })
  const takePlaces: typeof owner.takePlaces = async request => {
    const { takenMs, endsMs, isAnswered } = toCome.shift() ?? good
    const taken = takenMs === undefined ? undefined : clock.sleep(takenMs, never).then(() => owner.takePlaces(request))
    await clock.sleep(endsMs, never)
    if (isAnswered && taken !== undefined) return await taken
    throw new ConnectError('lost', Code.Unavailable)
  }
  const limiters = Array.from({ length: gateways }, () => sharedLimiter({ clock, log, rates: { takePlaces } }))
  const running = limiters.map(limiter => limiter.run(life.signal))
  const passes: number[] = []
  const send = async (limiter: RateLimiter | undefined, weight: number) => {
    const { passes: has } = (await limiter?.take(window, weight)) ?? assert.fail()
    // As many as its places.
    if (has) for (let n = 0; n < weight; n++) passes.push(clock.monotonic())
  }
  for (const step of steps) {
    if ('waitMs' in step) await clock.advance(step.waitMs)
    else for (let n = 0; n < step.requests; n++) void send(limiters[step.gateway % gateways], step.weight)
  }
  toCome.length = 0
  // A call that was begun ends; it is repeated; then all is told and given back.
  await clock.advance(2 * DEADLINE_MS)
  const since = (ms: number) => passes.filter(time => time > clock.monotonic() - ms).length
  const looks: Look[] = []
  const { epoch } = await owner.takePlaces({ gatewayId: 'another', call: 1n })
  for (let n = 0; n < 13; n++) {
    const asked = { gatewayId: 'another', call: BigInt(n + 2), epoch, windows: [{ window: window.name, limit: PLAN }] }
    const { windows } = await owner.takePlaces(asked)
    const least = PLAN - since(60_000 + LATE_MS)
    const most = Math.max(0, PLAN * 1.05 - since(60_000 - EARLY_MS))
    looks.push({ left: windows[0]?.remaining ?? assert.fail(), least, most })
    await clock.advance(5_000)
  }
  life.abort()
  await Promise.all(running)
  return { passes, looks }
}

/** What the owner has left of the plan, and what is right. */
interface Look {
  readonly left: number
  readonly least: number
  readonly most: number
}

/** Faults come in rows. */
const row = fc.tuple(fate, fc.constantFrom(1, 1, 2, 10, 40)).map(([each, times]) => Array<Fate>(times).fill(each))
const fates = fc.array(row, { maxLength: 10, size: 'max' }).map(rows => rows.flat())
const steps = fc.array(step, { maxLength: 20, size: 'max' })

test('whatever calls and answers are lost or late, what is left is the plan less what has passed', async () => {
  const property = fc.asyncProperty(fc.integer({ min: 1, max: 3 }), steps, fates, async (...life) => {
    for (const { left, least, most } of (await live(...life)).looks) {
      assert.ok(left >= least, `${left} places are left, where at least ${least} are free`)
      assert.ok(left <= most, `${left} places are left, where at most ${most} are free`)
    }
  })
  await fc.assert(property, { numRuns: 300 })
})

test('one gateway lets pass the plan and 5 % at most, whatever calls and answers are lost or late', async () => {
  const property = fc.asyncProperty(steps, fates, async (...life) => {
    const { passes } = await live(1, ...life)
    passes.forEach((end, last) => {
      const within = passes.slice(0, last + 1).filter(time => time > end - 60_000 + EARLY_MS).length
      assert.ok(within <= PLAN * 1.05, `${within} passed`)
    })
  })
  await fc.assert(property, { numRuns: 300 })
})
