import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Code, createClient, type Transport } from '@connectrpc/connect'
import { Signal } from '@millhand/api/gen/millhand/rpc/v1/tunnel_pb.ts'
import { manualClock } from '@millhand/runner'
import { aborted, rejection } from '../serving.contract.ts'
import { answerFrame, signalFrame } from './frames.ts'
import type { LinkEvent } from './link.ts'
import { events, fakeReplica, hangingOnce, ShelfService, startProxy, startServer } from './tunnel.fixture.ts'
import { createTunnelTransport, type TunnelTransportOptions } from './tunnel-transport.ts'

type Test = { after(fn: () => Promise<void>): void }

function connectTo(t: Test, replicas: Transport[], options: Partial<TunnelTransportOptions> = {}) {
  const told = events<LinkEvent>()
  const transport = createTunnelTransport({ replicas, onEvent: told.on, random: () => 0.5, ...options })
  t.after(() => transport.close())
  return { transport, told, client: createClient(ShelfService, transport) }
}

async function serve(t: Test, shelf: Parameters<typeof startServer>[0]['shelf']) {
  const server = await startServer({ shelf: shelf ?? {} })
  t.after(() => server.close())
  return server
}

async function proxy(t: Test, port?: number) {
  const network = await startProxy()
  network.to(port)
  t.after(() => network.close())
  return network
}

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

  it('sends a call elsewhere that it had not sent, also one with side effects', async t => {
    const clock = manualClock()
    const [one, other] = [fakeReplica(), fakeReplica()]
    const { client, transport } = connectTo(t, [one.transport, other.transport], { clock })
    transport.connect()
    await clock.advance(0)
    const answers = [client.write({ value: '1' }), client.write({ value: '2' })]
    await clock.advance(0)
    one.opened[0]?.break()
    await clock.advance(0)
    const begun = (await other.opened[0]?.read()) ?? []
    assert.equal(begun.length, 2)
    for (const { call } of begun) other.opened[0]?.answer(answerFrame(call, new Uint8Array(), [], []))
    await Promise.all(answers)
  })

  it('goes on with the other replica when one dies', async t => {
    const shelf = { read: (request: { value: string }) => request, write: (request: { value: string }) => request }
    const [one, other] = [await serve(t, shelf), await serve(t, shelf)]
    const network = await proxy(t, one.port)
    const { client, told, transport } = connectTo(t, [network.replica, other.replica])
    transport.connect()
    await told.until('connected', 2)
    let failed = 0
    const callers = Array.from({ length: 16 }, async (_, i) => {
      for (let call = 0; call < 50; call++) {
        if (i === 0 && call === 10) {
          network.to(undefined)
          one.hangUp()
        }
        await client.read({ value: `${call}` })
        await client.write({ value: `${call}` }).catch(error => {
          assert.equal(error.code, Code.Unavailable)
          failed++
        })
      }
    })
    await Promise.all(callers)
    assert.ok(failed <= 16, `${failed} calls failed of those in flight`)
    assert.deepEqual(told.seen.map(({ kind, replica }) => `${kind} ${kind === 'lost' ? replica : ''}`).slice(2), [
      'lost 0',
    ])
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
    const { client, told } = connectTo(t, [network.replica], { clock })
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

  it('takes calls to other replicas while one drains, and loses none', async t => {
    const gate = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const first = await serve(t, {
      async write(request) {
        if (request.value !== 'slow') return { value: 'first' }
        begun.resolve()
        await gate.promise
        return { value: 'slow' }
      },
    })
    const second = await serve(t, { write: () => ({ value: 'second' }) })
    const clock = manualClock()
    const { client, told, transport } = connectTo(t, [first.replica, second.replica], { clock })
    transport.connect()
    await told.until('connected', 2)
    const slow = Promise.all([client.write({ value: 'slow' }), client.write({ value: 'slow' })])
    await begun.promise
    const drained = first.drain()
    await told.until('draining')
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.write({})))
    assert.ok(answers.every(({ value }) => value === 'second'))
    assert.ok(transport.ready())
    gate.resolve()
    assert.deepEqual(new Set((await slow).map(({ value }) => value)), new Set(['slow', 'second']))
    await drained
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
    assert.equal(transport.ready(), false)
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
