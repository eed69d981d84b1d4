import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Code } from '@connectrpc/connect'
import { Signal } from '@millhand/api/gen/millhand/rpc/v1/tunnel_pb.ts'
import { manualClock } from '@millhand/process'
import { answerFrame, signalFrame } from './frames.ts'
import { connectTo, fakeReplica, proxy, serve } from './tunnel.fixture.ts'

describe('a tunnel to several replicas', () => {
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

  it('keeps to the replicas that have what they need, and asks the others when there is none', async t => {
    const clock = manualClock()
    const [one, other] = [fakeReplica(), fakeReplica()]
    const { client, told, transport } = connectTo(t, [one.transport, other.transport], { clock })
    transport.connect()
    await clock.advance(0)
    const askFor = async (asked: ReturnType<typeof fakeReplica>) => {
      const answer = client.write({ value: 'a page' })
      await clock.advance(0)
      const [begun] = (await asked.opened[0]?.read()) ?? []
      asked.opened[0]?.answer(answerFrame(begun?.call ?? -1, new Uint8Array(), [], []))
      await answer
    }
    one.opened[0]?.answer(signalFrame(0, Signal.PONG_UNREADY))
    await clock.advance(0)
    for (let calls = 0; calls < 3; calls++) await askFor(other)
    assert.equal(transport.ready(), true)
    other.opened[0]?.answer(signalFrame(0, Signal.PONG_UNREADY))
    await clock.advance(0)
    for (const asked of [one, other]) await askFor(asked)
    assert.equal(transport.ready(), false)
    for (const _ of [1, 2]) one.opened[0]?.answer(signalFrame(0, Signal.PONG))
    await clock.advance(0)
    for (let calls = 0; calls < 3; calls++) await askFor(one)
    assert.equal(transport.ready(), true)
    assert.deepEqual(
      told.seen.slice(2).map(({ kind, replica }) => `${kind} ${replica}`),
      ['unready 0', 'unready 1', 'serving 0'],
    )
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
})
