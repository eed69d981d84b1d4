import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, constants } from 'node:http2'
import { describe, it } from 'node:test'
import { toBinary } from '@bufbuild/protobuf'
import { StringValueSchema, UInt32ValueSchema } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { type Begin, type Frame, Signal, TunnelService } from '@millhand/api/gen/millhand/rpc/v1/tunnel_pb.ts'
import { manualClock } from '@millhand/process'
import { ContractService } from '../contract-service.fixture.ts'
import { aborted, echo, rejection } from '../serving.contract.ts'
import { endFrame } from './call-errors.ts'
import { answerFrame, beginOf, creditFrame, frameOf, messageFrame, signalFrame } from './frames.ts'
import type { ConnectivityEvent } from './subchannel.ts'
import { events, fakeReplica, type Serve, startServer } from './tunnel.fixture.ts'
import { createTunnelTransport } from './tunnel-transport.ts'

const ECHO = '/millhand.rpc.ContractService/Echo'
const COUNT_TO = '/millhand.rpc.ContractService/CountTo'
const JOIN = '/millhand.rpc.ContractService/Join'
const text = (value: string) => toBinary(StringValueSchema, { $typeName: 'google.protobuf.StringValue', value })
const garbage = new Uint8Array([0xff, 0xff, 0xff, 0xff])

const begin = (call: number, init: Partial<Begin> = {}) =>
  frameOf(call, {
    case: 'begin',
    value: beginOf({ method: ECHO, timeoutMs: 0, header: [], message: text('x'), credit: 0, ...init }),
  })

/** A caller that sends what it likes. */
async function openRaw(t: { after(fn: () => Promise<void>): void }, serve: Serve) {
  const server = await startServer(serve)
  const abort = new AbortController()
  const queue: Frame[][] = []
  let wake = Promise.withResolvers<void>()
  const sending = (async function* () {
    for (;;) {
      const frames = queue.shift()
      if (frames !== undefined) yield { frames }
      else await wake.promise
    }
  })()
  const answers = createClient(TunnelService, server.replica).open(sending, { signal: abort.signal })
  const received = answers[Symbol.asyncIterator]()
  const unread: Frame[] = []
  t.after(async () => {
    abort.abort()
    await server.close()
  })
  const next = async (): Promise<Frame> => {
    while (unread.length === 0) {
      const result = await received.next()
      if (result.done) throw new Error('the tunnel ended')
      unread.push(...result.value.frames)
    }
    return unread.shift() as Frame
  }
  const { kind: hello } = await next()
  // The 20,000 event streams of a gateway leave room for its other calls.
  assert.ok(hello.case === 'hello' && hello.value.maxCalls === (serve.maxCalls ?? 32_768))
  return {
    server,
    next,
    send(...frames: Frame[]) {
      queue.push(frames)
      wake.resolve()
      wake = Promise.withResolvers()
    },
  }
}

/** The code that a call ended with; 0 where it did not fail. */
function codeOf({ kind }: Frame): Code | 0 {
  assert.equal(kind.case, 'end')
  return kind.value.fault?.code ?? 0
}

/** The server serves others as before. */
async function servesOthers(server: Awaited<ReturnType<typeof startServer>>): Promise<void> {
  const other = createTunnelTransport({ replicas: [server.replica] })
  assert.equal((await createClient(ContractService, other).echo({ value: 'well' })).value, 'well')
  await other.close()
}

describe('a hostile caller', () => {
  it('is answered when it asks whether anybody is there', async t => {
    const { send, next } = await openRaw(t, { contract: { echo } })
    send(signalFrame(0, Signal.PING))
    assert.deepEqual((await next()).kind, { case: 'signal', value: Signal.PONG })
  })

  it('hears from a server that lacks something that it does, at once and when it asks', async t => {
    const { send, next } = await openRaw(t, { contract: { echo }, ready: () => false })
    assert.deepEqual((await next()).kind, { case: 'signal', value: Signal.PONG_UNREADY })
    send(signalFrame(0, Signal.PING))
    assert.deepEqual((await next()).kind, { case: 'signal', value: Signal.PONG_UNREADY })
  })

  it('is passed over where it speaks of calls that are not open', async t => {
    const { send, next } = await openRaw(t, { contract: { echo } })
    const strangers = [7, 2 ** 32 - 1].flatMap(call => [
      messageFrame(call, garbage),
      creditFrame(call, 2 ** 32 - 1),
      signalFrame(call, Signal.CANCEL),
      signalFrame(call, Signal.HALF_CLOSE),
      answerFrame(call, garbage, ['odd'], []),
      frameOf(call, { case: undefined }),
    ])
    send(...strangers, begin(3))
    const { call, kind } = await next()
    assert.deepEqual([call, kind.case], [3, 'answer'])
  })

  it('is refused call by call for what cannot be read, is not served, or is too large', async t => {
    const { send, next } = await openRaw(t, { contract: { echo }, maxMessageBytes: 100 })
    for (const [init, code] of [
      [{ message: garbage }, Code.InvalidArgument],
      [{ method: '/millhand.rpc.UnservedService/Echo' }, Code.Unimplemented],
      [{ method: 'nonsense' }, Code.Unimplemented],
      [{ message: new Uint8Array(101) }, Code.ResourceExhausted],
    ] as const) {
      send(begin(0, init))
      assert.equal(codeOf(await next()), code)
    }
    send(begin(0, { header: ['odd'] }), begin(1, { header: ['bad name', 'bad\nvalue'] }))
    assert.deepEqual([(await next()).kind.case, (await next()).kind.case], ['answer', 'answer'])
  })

  it('has no more calls open than are allowed', async t => {
    const { send, next } = await openRaw(t, {
      maxCalls: 3,
      contract: {
        async echo(request, call) {
          await aborted(call)
          return request
        },
      },
    })
    send(begin(0), begin(1), begin(2), signalFrame(1, Signal.CANCEL))
    const cancelled = await next()
    assert.deepEqual([cancelled.call, codeOf(cancelled)], [1, Code.Canceled])
    send(begin(1), begin(3))
    assert.equal((await rejection(next())).code, Code.InvalidArgument)
  })

  it('has no million frames read at once', async t => {
    const { server, send, next } = await openRaw(t, { contract: { echo } })
    send(...Array.from({ length: 10_000 }, () => begin(0, { method: 'nonsense' })))
    assert.equal((await rejection(next())).code, Code.InvalidArgument)
    await servesOthers(server)
  })

  it('ends its tunnel when it begins a call that is open; its handlers are told', async t => {
    const told = Promise.withResolvers<void>()
    const contract: Serve['contract'] = {
      async echo(request, call) {
        if (request.value === 'well') return request
        await aborted(call)
        told.resolve()
        return request
      },
    }
    const { server, send, next } = await openRaw(t, { contract })
    send(begin(0), begin(0))
    assert.equal((await rejection(next())).code, Code.InvalidArgument)
    await told.promise
    await servesOthers(server)
  })

  it('gains nothing from credit without end', async t => {
    let made = 0
    const { send, next } = await openRaw(t, {
      contract: {
        async *countTo() {
          for (;;) yield { value: `${made++}`.padEnd(65_536) }
        },
      },
    })
    const message = toBinary(UInt32ValueSchema, { $typeName: 'google.protobuf.UInt32Value', value: 1 })
    send(begin(0, { method: COUNT_TO, message, credit: 2 ** 32 - 1 }), creditFrame(0, 2 ** 32 - 1))
    await next()
    for (let turn = 0; turn < 200; turn++) await new Promise(resolve => setImmediate(resolve))
    assert.ok(made < 100, `${made} messages of 64 KiB were made, and one was taken`)
  })

  it('loses the call in which it sends without credit, or to a method that takes one message', async t => {
    const { send, next } = await openRaw(t, {
      contract: {
        async echo(request, call) {
          await aborted(call)
          return request
        },
        async join(_, call) {
          await aborted(call)
          return {}
        },
      },
    })
    send(begin(0, { method: JOIN }))
    assert.equal((await next()).kind.case, 'credit')
    send(...Array.from({ length: 20 }, () => messageFrame(0, new Uint8Array(65_536))))
    assert.equal(codeOf(await next()), Code.InvalidArgument)
    send(begin(0), messageFrame(0, text('more')))
    assert.equal(codeOf(await next()), Code.InvalidArgument)
  })

  it('is held to the deadline that it named, also when it does not keep it itself', async t => {
    const fired = Promise.withResolvers<void>()
    const { send, next } = await openRaw(t, {
      contract: {
        async echo(request, call) {
          await aborted(call)
          fired.resolve()
          return request
        },
      },
    })
    send(begin(0, { timeoutMs: 20 }))
    assert.equal(codeOf(await next()), Code.DeadlineExceeded)
    await fired.promise
  })

  it('ends its tunnel with bytes that are no frames', async t => {
    const server = await startServer({ contract: { echo } })
    const session = connect(`http://127.0.0.1:${server.port}`)
    t.after(async () => {
      session.destroy()
      await server.close()
    })
    for (const bytes of [Buffer.concat([Buffer.from([0, 0, 0, 0, 4]), garbage]), Buffer.alloc(64, 0xee)]) {
      const stream = session.request({
        [constants.HTTP2_HEADER_METHOD]: 'POST',
        [constants.HTTP2_HEADER_PATH]: '/millhand.rpc.v1.TunnelService/Open',
        [constants.HTTP2_HEADER_CONTENT_TYPE]: 'application/connect+proto',
      })
      stream.on('error', () => {})
      stream.resume()
      stream.write(bytes)
      await once(stream, 'end')
      stream.close()
    }
    await servesOthers(server)
  })
})

describe('a hostile replica', () => {
  it('ends the tunnel, and nothing worse, when it answers what was not asked', async () => {
    for (const frame of [answerFrame(77, new Uint8Array(), [], []), endFrame(1, [], new ConnectError('what?'))]) {
      const clock = manualClock()
      const fake = fakeReplica()
      const told = events<ConnectivityEvent>()
      const transport = createTunnelTransport({ replicas: [fake.transport], clock, onEvent: told.on })
      transport.connect()
      await clock.advance(0)
      fake.opened[0]?.answer(frame)
      await told.until('lost')
      assert.ok(fake.opened[0]?.signal.aborted)
      await transport.close()
    }
  })
})
