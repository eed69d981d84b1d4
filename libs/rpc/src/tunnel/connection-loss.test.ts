import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Code } from '@connectrpc/connect'
import { Signal } from '@millhand/api/gen/millhand/rpc/v1/tunnel_pb.ts'
import { manualClock } from '@millhand/process'
import { aborted, rejection } from '../serving.contract.ts'
import { answerFrame, signalFrame } from './frames.ts'
import { connectTo, fakeReplica, hangingOnce, proxy, serve, startServer } from './tunnel.fixture.ts'

describe('a tunnel that breaks', () => {
  it('fails the calls in flight, tells their handlers, and opens again', async t => {
    const stopped = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const server = await serve(t, {
      async write(request, call) {
        if (request.value !== 'hang') return request
        begun.resolve()
        await aborted(call)
        stopped.resolve()
        return request
      },
    })
    const { client, told } = connectTo(t, [server.replica])
    const hanging = rejection(client.write({ value: 'hang' }))
    await begun.promise
    server.hangUp()
    assert.equal((await hanging).code, Code.Unavailable)
    await stopped.promise
    assert.equal((await client.write({ value: 'again' })).value, 'again')
    assert.deepEqual(
      told.seen.map(({ kind }) => kind),
      ['connected', 'lost', 'connected'],
    )
  })

  it('sends a call without side effects again', async t => {
    const read = hangingOnce()
    const server = await serve(t, { read: read.handler })
    const { client } = connectTo(t, [server.replica])
    const answer = client.read({ value: 'a page' })
    await read.begun
    server.hangUp()
    assert.equal((await answer).value, 'a page')
    assert.equal(read.calls(), 2)
  })

  it('gives up a call that breaks every tunnel that carries it', async t => {
    const clock = manualClock()
    const fake = fakeReplica()
    const { client } = connectTo(t, [fake.transport], { clock })
    const answer = rejection(client.read({ value: 'poison' }))
    for (let sent = 1; sent <= 4; sent++) {
      const frames = (await fake.opened[sent - 1]?.read()) ?? []
      assert.equal(frames[0]?.kind.case, 'begin')
      fake.opened[sent - 1]?.break()
      await clock.advance(1_000)
    }
    assert.equal((await answer).code, Code.Unavailable)
  })

  it('makes the lines of its headers anew for another try: a signature may be over', async t => {
    const seen: (string | null)[] = []
    const hanging = hangingOnce()
    const server = await serve(t, {
      read: (request, call) => {
        seen.push(call.requestHeader.get('x-signed'))
        return hanging.handler(request, call)
      },
    })
    let signatures = 0
    const { client } = connectTo(t, [server.replica], { headers: () => [['x-signed', `signature ${++signatures}`]] })
    const answer = client.read({ value: 'book' })
    await hanging.begun
    server.hangUp()
    assert.equal((await answer).value, 'book')
    assert.deepEqual(seen, ['signature 1', 'signature 2'])
  })

  it('does not send again what its caller no longer waits for', async t => {
    const clock = manualClock()
    const fake = fakeReplica()
    const { client } = connectTo(t, [fake.transport], { clock })
    const answer = rejection(client.read({}, { timeoutMs: 20 }))
    await fake.opened[0]?.read()
    fake.opened[0]?.break()
    await clock.advance(20)
    assert.equal((await answer).code, Code.DeadlineExceeded)
    const next = client.read({ value: 'next' })
    await clock.advance(1_000)
    const [first] = (await fake.opened[1]?.read()) ?? []
    fake.opened[1]?.answer(answerFrame(first?.call ?? -1, new Uint8Array(), [], []))
    await next
  })

  it('comes back when the server does', async t => {
    const first = await startServer({ shelf: { write: () => ({ value: 'first' }) } })
    const network = await proxy(t, first.port)
    const { client, told } = connectTo(t, [network.replica])
    assert.equal((await client.write({})).value, 'first')
    network.to(undefined)
    await first.close()
    await told.until('lost')
    const waiting = client.write({})
    const second = await serve(t, { write: () => ({ value: 'second' }) })
    network.to(second.port)
    assert.equal((await waiting).value, 'second')
    assert.equal(told.seen.filter(({ kind }) => kind === 'lost').length, 1)
  })

  it('finds out that a replica is silent while its connection stands', async t => {
    const clock = manualClock()
    const begun = Promise.withResolvers<void>()
    const server = await serve(t, {
      async write(request, call) {
        if (request.value !== 'hang') return request
        begun.resolve()
        await aborted(call)
        return request
      },
    })
    const network = await proxy(t, server.port)
    let closed = 0
    const { client, told } = connectTo(t, [{ ...network.replica, close: () => closed++ }], { clock })
    const hanging = rejection(client.write({ value: 'hang' }))
    await begun.promise
    for (let second = 0; second < 10; second++) {
      await clock.advance(1_000)
      await client.write({ value: 'alive' })
    }
    assert.equal(told.seen.length, 1)
    network.freeze()
    await clock.advance(3_000)
    assert.equal((await hanging).code, Code.Unavailable)
    assert.equal(told.seen.at(-1)?.kind, 'lost')
    assert.equal(closed, 1)
  })

  it('asks an idle replica whether it is there, and keeps one that says so', async t => {
    const clock = manualClock()
    const fake = fakeReplica()
    const { told, transport } = connectTo(t, [fake.transport], { clock })
    transport.connect()
    await clock.advance(0)
    for (let second = 0; second < 10; second++) {
      await clock.advance(1_000)
      const frames = (await fake.opened[0]?.read()) ?? []
      assert.deepEqual(frames, [signalFrame(0, Signal.PING)])
      fake.opened[0]?.answer(signalFrame(0, Signal.PONG))
      await clock.advance(0)
    }
    assert.equal(told.seen.length, 1)
    await clock.advance(3_000)
    assert.equal(told.seen.at(-1)?.kind, 'lost')
  })

  it('lets a call wait for the first connection, and no longer than it is told', async t => {
    const clock = manualClock()
    const server = await serve(t, { write: request => request })
    const network = await proxy(t)
    const { client, told } = connectTo(t, [network.replica], { clock, waitMs: 700 })
    const late = rejection(client.write({}))
    const short = rejection(client.write({}, { timeoutMs: 300 }))
    await told.until('lost')
    await clock.advance(300)
    assert.equal((await short).code, Code.DeadlineExceeded)
    await clock.advance(400)
    assert.equal((await late).code, Code.Unavailable)
    const waiting = client.write({ value: 'in time' })
    network.to(server.port)
    await clock.advance(600)
    assert.equal((await waiting).value, 'in time')
  })

  it('holds calls back when the other side takes nothing', async t => {
    const clock = manualClock()
    const fake = fakeReplica(10_000)
    const { client, transport } = connectTo(t, [fake.transport], { clock, waitMs: 60_000 })
    transport.connect()
    await clock.advance(0)
    const value = 'x'.repeat(1024 * 1024 - 100)
    const answers = Array.from({ length: 12 }, () => client.write({ value }))
    await clock.advance(0)
    const answer = async () => {
      for (let begun = 0; begun < 12; ) {
        const frames = (await fake.opened[0]?.read()) ?? []
        assert.ok(frames.length <= 2, `${frames.length} large frames went out together`)
        for (const { call } of frames) {
          begun++
          fake.opened[0]?.answer(answerFrame(call, new Uint8Array(), [], []))
        }
      }
    }
    await Promise.all([answer(), ...answers])
  })
})
