import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create, type MessageInitShape } from '@bufbuild/protobuf'
import type { Client } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import {
  type RateService,
  TakePlacesRequestSchema,
  TakePlacesResponseSchema,
  type WindowAnswerSchema,
} from '@millhand/api/gen/millhand/identity/v1/rate_service_pb.ts'
import { manualClock } from '@millhand/process'
import { createLog } from '@millhand/telemetry'
import { sharedLimiter } from './shared-limiter.ts'

type Given = MessageInitShape<typeof WindowAnswerSchema>
const window = { name: 'acct_1/live/compute', family: 'compute', limit: 100 } as const

/** A limiter, and the calls that it sends: each is answered, or fails, by the test. */
function open() {
  const clock = manualClock()
  const calls: {
    readonly call: bigint
    readonly epoch: string
    readonly asked: number[][]
    answer(...given: Given[]): Promise<void>
    /** The owner is another one. */
    answerAs(stranger: string): Promise<void>
    fail(): Promise<void>
  }[] = []
  const logged: string[] = []
  const rates: Pick<Client<typeof RateService>, 'takePlaces'> = {
    takePlaces(init) {
      const request = create(TakePlacesRequestSchema, init as MessageInitShape<typeof TakePlacesRequestSchema>)
      const { call, epoch, windows } = request
      const { promise, resolve, reject } = Promise.withResolvers<ReturnType<typeof answerOf>>()
      calls.push({
        call,
        epoch,
        asked: windows.map(({ needed, ahead, returned, recent }) => [needed, ahead, returned, ...recent]),
        async answer(...given) {
          resolve(answerOf(given))
          await clock.advance(0)
        },
        async answerAs(stranger) {
          resolve(create(TakePlacesResponseSchema, { epoch: stranger, gateways: 4, tellRecent: true }))
          await clock.advance(0)
        },
        async fail() {
          reject(fail('unavailable', 'nobody is there'))
          await clock.advance(0)
        },
      })
      return promise
    },
  }
  const log = createLog({ level: 'debug', write: line => logged.push(JSON.parse(line).event) })
  const limiter = sharedLimiter({ rates, clock, log })
  const takeMany = (count: number) => Array.from({ length: count }, () => limiter.take(window))
  return { clock, calls, logged, limiter, takeMany }
}

const answerOf = (windows: readonly Given[]) =>
  create(TakePlacesResponseSchema, { epoch: 'one', gateways: 4, windows: [...windows] })

const passing = async (taken: readonly unknown[]) =>
  (await Promise.all(taken as Promise<{ passes: boolean }>[])).map(({ passes }) => passes)

test('what comes in one turn is asked in one call, and what comes meanwhile in the next', async () => {
  const { clock, calls, takeMany } = open()
  const first = takeMany(3)
  await clock.advance(0)
  const second = takeMany(2)
  await clock.advance(0)
  assert.deepEqual(
    calls.map(({ asked }) => asked),
    [[[3, 1, 0]]],
  )
  await calls[0]?.answer({ granted: 2, remaining: 0, nextFreeMs: 100, freeByMs: 100 })
  assert.deepEqual(await passing(first), [true, true, false])
  assert.equal(calls.length, 2)
  assert.deepEqual(calls[1]?.asked, [[2, 2, 0]])
  await calls[1]?.answer({ granted: 1, remaining: 0, nextFreeMs: 100, freeByMs: 100 })
  assert.deepEqual(await passing(second), [true, false])
})

test('places ahead are used without a call, and given back after a second', async () => {
  const { clock, calls, limiter, takeMany } = open()
  const ending = new AbortController()
  const running = limiter.run(ending.signal)
  void takeMany(1)
  await clock.advance(0)
  await calls[0]?.answer({ granted: 1, ahead: 3, remaining: 90, nextFreeMs: 60_000, freeByMs: 60_000 })
  assert.deepEqual(limiter.take(window), { passes: true, remaining: 89, nextMs: 60_000 })
  await clock.advance(999)
  assert.deepEqual(limiter.take(window), { passes: true, remaining: 88, nextMs: 59_001 })
  assert.equal(calls.length, 1)
  await clock.advance(251)
  assert.deepEqual(calls[1]?.asked, [[0, 0, 1]])
  await calls[1]?.answer({ remaining: 88, nextFreeMs: 58_750, freeByMs: 58_750 })
  assert.ok(limiter.take(window) instanceof Promise)
  ending.abort()
  await running
})

test('what is known to be full is refused without a call, until it may not be', async () => {
  const { clock, calls, limiter, takeMany } = open()
  const refused = takeMany(1)
  await clock.advance(0)
  await calls[0]?.answer({ remaining: 0, nextFreeMs: 5_000, freeByMs: 5_200 })
  assert.deepEqual(await passing(refused), [false])
  await clock.advance(4_999)
  assert.deepEqual(limiter.take(window), { passes: false, remaining: 0, nextMs: 201 })
  assert.ok(limiter.take({ ...window, limit: 200 }) instanceof Promise, 'a larger plan has room')
  await clock.advance(0)
  await calls[1]?.answer({ granted: 1, remaining: 99, nextFreeMs: 1, freeByMs: 1 })
  await clock.advance(1)
  assert.ok(limiter.take(window) instanceof Promise)
})

test('without an answer within 250 ms each goes on by its share, and says so once', async () => {
  const { clock, calls, logged, takeMany } = open()
  void takeMany(1)
  await clock.advance(0)
  await calls[0]?.answer({ granted: 1, remaining: 99, nextFreeMs: 60_000, freeByMs: 60_000 })
  const waiting = takeMany(20)
  await clock.advance(249)
  assert.deepEqual(logged, [])
  await clock.advance(1)
  // One of four gateways: 25 of 100, of which one has passed.
  assert.deepEqual(new Set(await passing(waiting)), new Set([true]))
  assert.deepEqual((await passing(takeMany(6))).filter(Boolean).length, 4)
  assert.deepEqual(logged, ['rate.owner_away'])
  await calls[1]?.fail()
  assert.deepEqual(logged, ['rate.owner_away'])
})

test('an answer that comes late is told what passed without it, and gets the rest back', async () => {
  const { clock, calls, logged, takeMany } = open()
  const waiting = takeMany(2)
  await clock.advance(400)
  assert.deepEqual(await passing(waiting), [true, true])
  assert.deepEqual(await passing(takeMany(3)), [true, true, true])
  await calls[0]?.answer({ granted: 2, ahead: 1, remaining: 97, nextFreeMs: 1, freeByMs: 1 })
  assert.deepEqual(logged, ['rate.owner_away', 'rate.owner_back'])
  // The two were granted; the other three were not, and the place ahead was not used.
  assert.deepEqual(calls[1]?.asked, [[0, 0, 1, 3]])
})

test('a call that was not answered is made again under its number, and what it told and gave back is told once', async () => {
  const { clock, calls, limiter, takeMany } = open()
  const ending = new AbortController()
  const running = limiter.run(ending.signal)
  void takeMany(1)
  await clock.advance(0)
  await calls[0]?.answer({ granted: 1, ahead: 3, remaining: 90, nextFreeMs: 1, freeByMs: 1 })
  await clock.advance(1_249)
  assert.deepEqual(calls[1]?.asked, [[0, 0, 3]])
  await calls[1]?.fail()
  assert.deepEqual(await passing(takeMany(2)), [true, true])
  await clock.advance(1)
  assert.deepEqual(
    calls.slice(1).map(({ call, asked }) => ({ call, asked })),
    [
      { call: 2n, asked: [[0, 0, 3]] },
      { call: 2n, asked: [[0, 0, 3]] },
    ],
  )
  await calls[2]?.answer({ remaining: 99 })
  assert.deepEqual(calls[3]?.asked, [[0, 0, 0, 2]])
  assert.equal(calls[3]?.call, 3n)
  ending.abort()
  await running
})

test('of what passed without an answer those count from its time that it was given for', async () => {
  const { clock, calls, takeMany } = open()
  void takeMany(2)
  await clock.advance(1_000)
  assert.deepEqual(await passing(takeMany(3)), [true, true, true])
  await clock.advance(900)
  await calls[0]?.answer({ granted: 2, remaining: 98 })
  assert.deepEqual(calls[1]?.asked, [[0, 0, 0, 3]], 'of the last second')
})

test('after two new owners in a row it goes on with the second', async () => {
  const { clock, calls, logged, limiter, takeMany } = open()
  const ending = new AbortController()
  const running = limiter.run(ending.signal)
  void takeMany(1)
  await clock.advance(0)
  await calls[0]?.answerAs('two')
  await calls[1]?.answerAs('three')
  assert.deepEqual(logged, ['rate.owner_away'])
  await clock.advance(250)
  assert.deepEqual(
    calls.map(({ epoch }) => epoch),
    ['', 'two', 'three'],
  )
  await calls[2]?.answer({ remaining: 100 })
  assert.deepEqual(logged, ['rate.owner_away', 'rate.owner_back'])
  ending.abort()
  await running
})

test('idle windows are freed', async () => {
  const { clock, calls, limiter } = open()
  for (let n = 0; n < 100; n++) void limiter.take({ ...window, name: `acct_${n}/live/compute` })
  await clock.advance(0)
  await calls[0]?.answer(
    ...Array.from({ length: 100 }, () => ({ granted: 1, remaining: 99, nextFreeMs: 9, freeByMs: 9 })),
  )
  assert.equal(limiter.size, 100)
  await clock.advance(60_000)
  for (let n = 0; n < 100; n++) void limiter.take(window)
  assert.ok(limiter.size <= 2, `${limiter.size} windows are kept`)
})

test('a heavy request asks for all its places, passes with all of them, and gives back those that are too few', async () => {
  const { calls, clock, limiter, takeMany } = open()
  const heavy = limiter.take(window, 16)
  const [light] = takeMany(1)
  await clock.advance(0)
  assert.deepEqual(calls[0]?.asked, [[17, 1, 0]])
  await calls[0]?.answer({ granted: 10, remaining: 0, nextFreeMs: 500, freeByMs: 700 })
  assert.deepEqual(await heavy, { passes: false, remaining: 0, nextMs: 700, roomMs: 60_000 })
  assert.equal((await light)?.passes, true)
  await clock.advance(0)
  assert.deepEqual(calls[1]?.asked, [[0, 0, 9]])
})

test('a heavy request that passed without an answer has all its places of one that comes late', async () => {
  const { calls, clock, limiter } = open()
  const heavy = limiter.take(window, 4)
  await clock.advance(400)
  assert.equal((await heavy).passes, true)
  await calls[0]?.answer({ granted: 4, ahead: 1, remaining: 95, nextFreeMs: 1, freeByMs: 1 })
  assert.deepEqual(calls[1]?.asked, [[0, 0, 1]], 'the place ahead alone is given back, and nothing is told')
})
