import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { createClient } from '@connectrpc/connect'
import { codeOf } from '@millhand/api'
import {
  RateService,
  TakePlacesRequestSchema,
  type WindowRequestSchema,
} from '@millhand/api/gen/millhand/identity/v1/rate_service_pb.ts'
import { singleReplica } from '@millhand/lease'
import { manualClock } from '@millhand/process'
import { createDirectTransport } from '@millhand/rpc'
import { createRateService } from './rate-service.ts'
import { RateWindows } from './rate-windows.ts'

type Asked = MessageInitShape<typeof WindowRequestSchema>

/** An owner, and gateways that ask it for places of one window of 100. */
function open() {
  const clock = manualClock()
  const owned = new RateWindows(clock)
  const { epoch } = owned.take(create(TakePlacesRequestSchema, { gatewayId: 'a', call: 1n }))
  let calls = 0n
  const ask = (gatewayId: string, asked: Asked, { call = ++calls, life = epoch } = {}) =>
    owned.take(
      create(TakePlacesRequestSchema, {
        gatewayId,
        epoch: life,
        call,
        windows: [{ window: 'acct_1/live/compute', limit: 100, ...asked }],
      }),
    )
  const take = (gatewayId: string, asked: Asked) => {
    const { granted, ahead, remaining, nextFreeMs, freeByMs } = ask(gatewayId, asked).windows[0] ?? assert.fail()
    return { granted, ahead, remaining, nextFreeMs, freeByMs }
  }
  return { clock, owned, ask, take }
}

test('those who wait get the plan, and hear when it is one more', async () => {
  const { clock, take } = open()
  const full = { granted: 70, ahead: 0, remaining: 0, nextFreeMs: 50_000, freeByMs: 50_000 }
  assert.deepEqual(take('a', { needed: 30 }), {
    ...full,
    granted: 30,
    remaining: 70,
    nextFreeMs: 60_000,
    freeByMs: 60_000,
  })
  await clock.advance(10_000)
  assert.deepEqual(take('b', { needed: 80 }), full)
  await clock.advance(49_999)
  assert.equal(take('a', { needed: 1 }).granted, 0)
  await clock.advance(1)
  assert.equal(take('a', { needed: 31 }).granted, 30)
})

test('places ahead are few in all, and nobody is refused for them', () => {
  const { take } = open()
  assert.equal(take('a', { needed: 1, ahead: 50 }).ahead, 2)
  assert.equal(take('b', { needed: 1, ahead: 50 }).ahead, 0)
  assert.equal(take('b', { needed: 97 }).granted, 97)
  // 99 are used for sure; the other two may come back, or be used: then it is two too many.
  assert.deepEqual(take('b', { needed: 2 }).granted, 1)
})

test('places that are given back are free again; those that are not were used', () => {
  const { take } = open()
  take('a', { needed: 1, ahead: 2 })
  assert.equal(take('a', { returned: 1 }).remaining, 98)
  assert.equal(take('b', { needed: 98 }).granted, 98)
  assert.equal(take('b', { needed: 1 }).granted, 0)
})

test('places that are given back count no more from when they were given, and what others were given later stays', async () => {
  const { clock, take } = open()
  take('a', { needed: 60 })
  await clock.advance(30_000)
  take('b', { needed: 40 })
  take('a', { returned: 60 })
  await clock.advance(30_000)
  assert.equal(take('b', { needed: 100 }).granted, 60)
})

test('a call that comes again is answered as before, and one that comes after a later one is not taken', () => {
  const { ask, take } = open()
  ask('a', { needed: 60, ahead: 2 }, { call: 1n })
  const second = { returned: 1, needed: 1, recent: [10] }
  const answer = ask('a', second, { call: 2n })
  assert.equal(ask('a', second, { call: 2n }), answer)
  ask('a', { needed: 60, ahead: 2 }, { call: 1n })
  assert.equal(take('b', {}).remaining, 100 - 61 - 1 - 10)
})

test('who is refused hears of two times: when it is one more at the earliest, and at the latest', async () => {
  const { clock, take } = open()
  take('a', { needed: 1 })
  await clock.advance(1_000)
  assert.equal(take('a', { needed: 1, ahead: 1 }).ahead, 1)
  await clock.advance(1_000)
  take('b', { needed: 98 })
  const { granted, nextFreeMs, freeByMs } = take('b', { needed: 1 })
  assert.deepEqual({ granted, nextFreeMs, freeByMs }, { granted: 0, nextFreeMs: 58_000, freeByMs: 59_000 })
})

test('what passed without the owner counts from when it passed', async () => {
  const { clock, take } = open()
  assert.equal(take('a', { needed: 60, recent: [10, 0, 20] }).granted, 60)
  assert.equal(take('a', { needed: 60 }).granted, 10)
  await clock.advance(57_500)
  assert.equal(take('a', { needed: 60 }).granted, 20)
})

test('who knows another owner or none is first to tell what passed; then it is answered', () => {
  const { ask } = open()
  for (const life of ['', 'an owner of before']) {
    const first = ask('a', { needed: 1 }, { life })
    assert.equal(first.tellRecent, true)
    assert.equal(first.windows[0]?.granted, 0)
  }
  const second = ask('a', { needed: 1, recent: [99] })
  assert.equal(second.tellRecent, false)
  assert.equal(second.windows[0]?.granted, 1)
  assert.equal(second.windows[0]?.remaining, 0)
})

test('gateways are counted that asked within a minute', async () => {
  const { clock, ask } = open()
  await clock.advance(60_000)
  ask('a', {})
  await clock.advance(30_000)
  assert.equal(ask('b', {}).gateways, 2)
  await clock.advance(30_000)
  assert.equal(ask('b', {}).gateways, 1)
})

test('idle windows are freed', async () => {
  const { clock, owned, ask } = open()
  const take = (window: string) => ask('a', { window, needed: 1 })
  for (let n = 0; n < 500; n++) take(`acct_${n}/live/compute`)
  assert.equal(owned.size, 500)
  await clock.advance(60_000)
  for (let n = 0; n < 500; n++) take('acct_1/live/compute')
  assert.equal(owned.size, 1)
})

test('only the owner answers, and a later life of it knows nothing of an earlier one', async () => {
  const clock = manualClock()
  const rates = createRateService({ clock, replicas: singleReplica })
  const transport = createDirectTransport()
  rates.routes(transport)
  const { takePlaces } = createClient(RateService, transport)
  const request = { gatewayId: 'a', windows: [{ window: 'acct_1/live/compute', limit: 1, needed: 1 }] }
  await assert.rejects(takePlaces({ ...request, call: 1n }), (error: unknown) => codeOf(error) === 'unavailable')
  for (const _ of [1, 2]) {
    const life = new AbortController()
    const running = rates.run(life.signal)
    const { epoch } = await takePlaces({ gatewayId: 'a', call: 1n })
    assert.equal((await takePlaces({ ...request, epoch, call: 2n })).windows[0]?.granted, 1)
    assert.equal((await takePlaces({ ...request, epoch, call: 3n })).windows[0]?.granted, 0)
    life.abort()
    await running
  }
})
